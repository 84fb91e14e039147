// The page on which authors take part: accounts, packages, submissions. The token stays in a variable
// of this page and is sent as a bearer token; nothing keeps it.

import { SubmissionCard } from "./submission.js";
import { accountView } from "./account.js";
import { request } from "./request.js";

const forms = document.getElementById("forms");
const league = forms.dataset.league;
const note = document.getElementById("account-note");
const uploadNote = document.getElementById("upload-note");
const bots = document.getElementById("bots");
const uploadForm = document.getElementById("upload");
const tokenInput = document.getElementById("token");
let token = "";
let refreshes = 0;

const card = new SubmissionCard(document.getElementById("current"), () => token, () => attempt(note, null, refresh));

function say(place, sentence, bad = false) {
  place.textContent = sentence;
  place.classList.toggle("wrong", bad);
}

// Runs something that asks the server, with the buttons of a form disabled; says why it failed.
async function attempt(place, form, act) {
  const buttons = form ? form.querySelectorAll("button") : [];
  for (const button of buttons) button.disabled = true;
  say(place, "");
  try {
    await act();
  } catch (error) {
    say(place, error.message, true);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

// Account ----------------------------------------------------------------------------------------

async function refresh() {
  if (!token) return;
  refreshes += 1;
  const number = refreshes;
  const found = await request(`${league}/account.json`, { token });
  if (number !== refreshes) return; // a later one shows what is newer
  const { account } = found;
  const states = {
    active: `Signed in as ${account.name}.`,
    pending: `The account of ${account.name} waits for the approval of an organiser.`,
    blocked: `The account of ${account.name} is blocked: ${account.reason}`,
  };
  say(note, states[account.state], account.state === "blocked");
  uploadForm.hidden = account.state !== "active" || forms.dataset.takesPackages !== "yes";
  bots.replaceChildren(...accountView(found, { league, act, readLog, readErrors, watch: (submission) => card.show(submission) }));
}

async function enter(given) {
  token = given;
  tokenInput.value = given;
  await refresh();
}

function forget() {
  token = "";
  refreshes += 1;
  tokenInput.value = "";
  uploadForm.hidden = true;
  bots.replaceChildren();
  card.close();
  say(uploadNote, "");
  say(note, "Forgotten.");
}

// Does something to a bot, then shows all of them again, and keeps the focus on the page.
async function act(path) {
  await attempt(note, null, async () => {
    await request(path, { token, method: "POST" });
    await refresh();
    bots.querySelector("h3")?.focus();
  });
}

async function readLog(submission) {
  return request(`/submissions/${submission.id}/log`, { token, text: true });
}

async function readErrors(bot) {
  return request(`${league}/bots/${encodeURIComponent(bot)}/stderr`, { token });
}

document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(note, event.target, () => enter(tokenInput.value.trim()));
});
document.getElementById("forget").addEventListener("click", forget);

// Sign up ----------------------------------------------------------------------------------------

const signUp = document.getElementById("sign-up");
if (signUp) {
  const signUpNote = document.getElementById("sign-up-note");
  const shown = document.getElementById("new-token-text");
  signUp.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(signUpNote, signUp, async () => {
      const code = document.getElementById("code");
      const body = { name: document.getElementById("name").value, code: code ? code.value : "" };
      const made = await request(`${league}/accounts`, { method: "POST", body });
      shown.textContent = made.token;
      document.getElementById("new-token").hidden = false;
      signUp.hidden = true;
      say(signUpNote, `There is an account of ${made.name} now.`);
      await enter(made.token);
    });
  });
  document.getElementById("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.textContent);
      say(signUpNote, "Copied.");
    } catch {
      window.getSelection().selectAllChildren(shown);
      say(signUpNote, "The browser does not allow copying: the token is selected, copy it by hand.");
    }
  });
}

// Upload -----------------------------------------------------------------------------------------

// Not fetch(), which does not say how much has been sent.
function send(file, onProgress) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("PUT", `${league}/packages/`);
    sending.setRequestHeader("Authorization", `Bearer ${token}`);
    sending.setRequestHeader("Accept", "application/json");
    sending.setRequestHeader("Content-Type", "application/gzip");
    sending.responseType = "json";
    sending.upload.addEventListener("progress", (event) => onProgress(event.loaded / (event.total || 1)));
    sending.addEventListener("error", () => reject(new Error("The connection was cut; try again.")));
    sending.addEventListener("load", () => {
      if (sending.status === 202) resolve(sending.response);
      else reject(new Error(sending.response?.error ?? `The server answered ${sending.status}.`));
    });
    sending.send(file);
  });
}

uploadForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const progress = document.getElementById("progress");
  const input = document.getElementById("package");
  const [file] = input.files;
  attempt(uploadNote, uploadForm, async () => {
    const most = Number(forms.dataset.largest);
    if (file.size > most) throw new Error(`The package has more than ${most / 2 ** 20} MiB.`);
    progress.value = 0;
    progress.hidden = false;
    try {
      const submission = await send(file, (share) => { progress.value = share; });
      say(uploadNote, "The package was received.");
      input.value = "";
      card.show(submission);
      await refresh();
    } finally {
      progress.hidden = true;
    }
  });
});

document.getElementById("here").textContent = window.location.origin;
forms.hidden = false;
