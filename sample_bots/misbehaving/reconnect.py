"""Drops its connection at every fifth decision and comes back with its resume id; else it plays."""

from _dial import Stream

resume_id, seen, over = "", 0, False
while not over:
    stream = Stream()
    stream.join(resume_id=resume_id)
    for response in stream.responses:
        if response.HasField("welcome"):
            resume_id = response.welcome.resume_id
        elif response.HasField("decision"):
            seen += 1
            if seen % 5 == 0:
                break
            stream.submit(response.decision)
        elif response.HasField("goodbye"):
            over = True
    stream.cut()
