// The page of a bot: shows its standard error to its author. The token stays in this tab.

const form = document.getElementById("stderr");
const input = document.getElementById("token");
const note = document.getElementById("stderr-note");
const output = document.getElementById("stderr-output");
const key = `token of ${form.dataset.source}`;

async function read(token) {
  const answer = await fetch(form.dataset.source, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
  });
  const document = await answer.json();
  output.hidden = !answer.ok;
  if (answer.ok) {
    window.sessionStorage.setItem(key, token);
    note.textContent = document.stderr ? "The last that it wrote:" : "It has written nothing.";
    output.textContent = document.stderr;
    output.hidden = !document.stderr;
    output.scrollTop = output.scrollHeight;
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
  output.hidden = true;
  note.textContent = "Forgotten.";
});

const kept = window.sessionStorage.getItem(key);
if (kept) {
  input.value = kept;
  read(kept).catch(() => {});
}
