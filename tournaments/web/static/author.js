// The standard error of a bot, for its author: the token stays in this tab and goes into a header.

const form = document.getElementById("stderr");
const input = document.getElementById("token");
const note = document.getElementById("said-note");
const said = document.getElementById("said");
const key = `token of ${form.dataset.source}`;

async function read(token) {
  const answer = await fetch(form.dataset.source, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
  });
  const document = await answer.json();
  said.hidden = !answer.ok;
  if (answer.ok) {
    window.sessionStorage.setItem(key, token);
    note.textContent = document.stderr ? "The last that it wrote:" : "It has written nothing.";
    said.textContent = document.stderr;
    said.hidden = !document.stderr;
    said.scrollTop = said.scrollHeight;
  } else {
    if (answer.status === 401) window.sessionStorage.removeItem(key);
    note.textContent = document.error;
  }
}

form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  read(input.value.trim()).catch(() => {
    note.textContent = "The server does not answer.";
  });
});
document.getElementById("forget").addEventListener("click", () => {
  window.sessionStorage.removeItem(key);
  input.value = "";
  said.hidden = true;
  note.textContent = "Forgotten.";
});

const kept = window.sessionStorage.getItem(key);
if (kept) {
  input.value = kept;
  read(kept).catch(() => {});
}
