module example.com/bot

go 1.21
