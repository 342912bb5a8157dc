import { setTimeout as sleep } from "node:timers/promises";

/** Makes a process collect its garbage, so that what is left is what it really holds. */
export interface Collector {
  collect(): Promise<void>;
  close(): void;
}

/** Speaks with the inspector of a process that was started with `--inspect=127.0.0.1:PORT`. */
export async function openCollector(port: number): Promise<Collector> {
  const socket = new WebSocket(await addressOf(port));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("the inspector refused the connection")));
  });
  let last = 0;
  return {
    collect() {
      const id = ++last;
      socket.send(JSON.stringify({ id, method: "HeapProfiler.collectGarbage" }));
      return new Promise((resolve, reject) => {
        socket.addEventListener("close", () => reject(new Error("the inspector went away")), { once: true });
        socket.addEventListener("message", function onMessage({ data }) {
          if (JSON.parse(String(data)).id !== id) return;
          socket.removeEventListener("message", onMessage);
          resolve();
        });
      });
    },
    close: () => socket.close(),
  };
}

async function addressOf(port: number): Promise<string> {
  for (let tries = 0; tries < 1_200; tries++) {
    const targets: unknown = await fetch(`http://127.0.0.1:${port}/json/list`).then(
      (response) => response.json(),
      () => null,
    );
    const first: unknown = Array.isArray(targets) ? targets[0] : null;
    if (typeof first === "object" && first !== null && "webSocketDebuggerUrl" in first)
      return String(first.webSocketDebuggerUrl);
    await sleep(100);
  }
  throw new Error("the process has no inspector");
}
