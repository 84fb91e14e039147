// Requests with a bearer token, and streams of server-sent events with one, which EventSource cannot send.

function headersOf(token, accept) {
  const headers = { Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  return headers;
}

async function answered(address, options) {
  let answer;
  try {
    answer = await fetch(address, { ...options, cache: "no-store", credentials: "omit" });
  } catch {
    throw new Error("The server does not answer.");
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.error ?? `The server answered ${answer.status}.`);
}

// Return the document, or the text, of an address; throws an error with the server's sentence.
export async function request(address, { token = "", method = "GET", body = null, text = false }) {
  const headers = headersOf(token, "application/json");
  if (body) headers["Content-Type"] = "application/json";
  const answer = await answered(address, { method, headers, body: body && JSON.stringify(body) });
  return text ? answer.text() : answer.json();
}

// Yield the data of each event until the server ends the stream, or the signal aborts it.
export async function* events(address, token, signal) {
  const answer = await answered(address, { headers: headersOf(token, "text/event-stream"), signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (waiting + value).split("\n\n");
    waiting = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice("data: ".length));
    }
  }
}
