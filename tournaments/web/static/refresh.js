// Replaces one element of the page by its current version, and reads server-sent events.

const PAUSE = 4000;

export function refresher(id) {
  let waiting = false;
  let last = 0;
  const act = async () => {
    waiting = false;
    last = Date.now();
    const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(id);
    const old = document.getElementById(id);
    if (fresh && old && fresh.innerHTML !== old.innerHTML && !old.contains(document.activeElement)) old.replaceWith(fresh);
  };
  // At most once every few seconds, however often it is called.
  return () => {
    if (waiting) return;
    waiting = true;
    window.setTimeout(() => act().catch(() => {}), Math.max(0, last + PAUSE - Date.now()));
  };
}

// Open a stream while the page is visible: a browser has few connections to one server.
export function stream(address, listeners) {
  let source = null;
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource(address);
    for (const [kind, act] of Object.entries(listeners)) source.addEventListener(kind, act);
  };
  const close = () => {
    if (source) source.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
  return { close };
}
