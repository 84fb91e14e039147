// The bots of an author: versions and their states, and what the author can do with them.

const STATES = { active: "good", processing: "warn", failed: "bad" };

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function button(text, label, act) {
  const made = element("button", "small", text);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

// A button that shows and hides a text, which is read from the server when it is first shown.
function reader(text, label, read) {
  const output = element("pre", "");
  output.tabIndex = 0;
  output.hidden = true;
  output.setAttribute("aria-label", label);
  const control = button(text, label, async () => {
    if (output.hidden) {
      output.textContent = await read().catch((error) => error.message);
    }
    output.hidden = !output.hidden;
    control.setAttribute("aria-expanded", String(!output.hidden));
  });
  control.setAttribute("aria-expanded", "false");
  return [control, output];
}

function version(submission, actions) {
  const name = `${submission.bot} ${submission.version}`;
  const [log, output] = reader("Log", `Log of ${name}`, () => actions.readLog(submission));
  const about = element(
    "p", "version-line",
    element("code", "", submission.version), " ",
    ...(submission.label ? [element("bdi", "soft", submission.label), " "] : []),
    element("span", `badge ${STATES[submission.state] ?? ""}`, submission.state), " ",
    element("span", "soft small", new Date(submission.submitted_at).toLocaleString()), " ",
  );
  const line = element("li", "", about);
  if (submission.state === "retired") {
    about.append(button("Activate", `Activate ${name}`, () => actions.act(`/submissions/${submission.id}/activate`)), " ");
  }
  if (submission.state === "processing") {
    about.append(button("Watch", `Watch ${name}`, () => actions.watch(submission)), " ");
  }
  about.append(log);
  if (submission.reason) line.append(element("p", "wrong", submission.reason));
  line.append(output);
  return line;
}

function bot(found, actions) {
  const path = `${actions.league}/bots/${encodeURIComponent(found.name)}`;
  const link = element("a", "bot", element("bdi", "", found.name));
  link.href = path;
  const title = element("h3", "", link);
  title.tabIndex = -1;
  const [errors, output] = reader("Standard error of the last matches", `Standard error of ${found.name}`, async () => {
    const { stderr } = await actions.readErrors(found.name);
    return stderr || "It has written nothing.";
  });
  const controls = element("p", "row", errors);
  if (found.submissions.some((each) => each.state === "active")) {
    controls.prepend(button("Retire", `Retire ${found.name}`, () => actions.act(`${path}/retire`)), " ");
  }
  const card = element("article", "card own-bot", title);
  if (found.state !== "active") card.append(element("p", "wrong", `It is ${found.state}${found.reason ? `: ${found.reason}` : "."}`));
  card.append(element("ul", "plain versions", ...found.submissions.map((each) => version(each, actions))), controls, output);
  return card;
}

export function accountView(found, actions) {
  if (!found.bots.length) return [element("p", "soft", "You have submitted no bot yet.")];
  return found.bots.map((each) => bot(each, actions));
}
