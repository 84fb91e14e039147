// The state of one submission, which changes by itself: its stages as a list, the reason and the log
// where it failed.

import { events, request } from "./request.js";

const PAUSE = 3000;

export class SubmissionCard {
  constructor(root, token, onEnd) {
    this.root = root;
    this.token = token;
    this.onEnd = onEnd;
    this.following = null;
  }

  // Show a submission, and follow it until it has passed all stages or failed.
  show(submission) {
    this.close();
    this.root.hidden = false;
    this.draw(submission);
    const following = new AbortController();
    this.following = following;
    this.follow(submission.id, following.signal).catch((error) => {
      if (!following.signal.aborted) this.say(error.message, true);
    });
  }

  close() {
    this.following?.abort();
    this.following = null;
    this.root.hidden = true;
  }

  async follow(id, signal) {
    for (;;) {
      try {
        for await (const submission of events(`/submissions/${id}/events`, this.token(), signal)) {
          this.draw(submission);
          if (submission.state !== "processing") {
            await this.end(submission);
            return;
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        this.say(`${error.message} Trying again …`, true);
      }
      await new Promise((resume) => { window.setTimeout(resume, PAUSE); });
      if (signal.aborted) return;
    }
  }

  async end(submission) {
    await this.onEnd();
    if (submission.state === "failed") {
      const log = this.root.querySelector("#log");
      log.textContent = await request(`/submissions/${submission.id}/log`, { token: this.token(), text: true });
      log.hidden = false;
    }
  }

  draw(submission) {
    this.root.querySelector("h3").textContent = `${submission.bot}, version ${submission.version}`;
    this.root.querySelector("#log").hidden = true;
    const reports = new Map(submission.reports.map((report) => [report.stage, report]));
    const stages = [...this.root.querySelectorAll("[data-stage]")];
    const passed = stages.findIndex((item) => item.dataset.stage === submission.stage);
    stages.forEach((item, index) => {
      const done = index <= passed;
      const failed = item.dataset.stage === submission.failed_at;
      const now = submission.state === "processing" && index === passed + 1;
      item.className = failed ? "failed" : done ? "done" : now ? "now" : "";
      item.querySelector(".outcome").textContent = failed ? "failed" : done ? used(reports.get(item.dataset.stage)) : now ? "under way" : "";
      if (now) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    const sentences = {
      processing: "This takes a minute or so; you may leave the page.",
      active: "It plays in the league.",
      retired: "It has passed all stages, and does not play now.",
      failed: submission.reason,
    };
    this.say(sentences[submission.state], submission.state === "failed");
  }

  say(sentence, bad) {
    const outcome = this.root.querySelector("#outcome");
    outcome.textContent = sentence;
    outcome.classList.toggle("wrong", bad);
  }
}

function used(report) {
  return report ? `${report.seconds.toFixed(1)} s` : "";
}
