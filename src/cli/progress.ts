import process from "node:process";
import type { Paint } from "./terminal-text.ts";

const PATIENCE_MS = 700;
const TICK_MS = 250;

/** Shows on a terminal that something takes its time; elsewhere it does nothing. */
export function createProgress(paint: Paint): <T>(work: Promise<T>) => Promise<T> {
  if (!process.stderr.isTTY) return (work) => work;
  return async (work) => {
    const began = Date.now();
    let isShown = false;
    const timer = setInterval(() => {
      const seconds = (Date.now() - began) / 1_000;
      if (seconds * 1_000 < PATIENCE_MS) return;
      isShown = true;
      process.stderr.write(`\r\u001b[K${paint("dim", `Waiting for the service … ${seconds.toFixed(0)} s`)}`);
    }, TICK_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      if (isShown) process.stderr.write("\r\u001b[K");
    }
  };
}
