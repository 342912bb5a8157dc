import process from "node:process";

/** The processor time of this thread in milliseconds. */
export function threadTime(): number {
  // Linux brings the thread's account up to date only at a tick of 4 ms, or when that of the process is asked for.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
