import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Failure } from "./failure.ts";
import { withoutTrailing } from "../kernel/text.ts";

/** Environment variables, as the entry point hands them over. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The folder that this program keeps its file in. */
export function configFolder(variables: Variables): string {
  const xdg = variables["XDG_CONFIG_HOME"];
  if (xdg !== undefined && xdg !== "") return join(xdg, "workflow-ui");
  const home = variables["HOME"] ?? homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "workflow-ui");
  if (process.platform === "win32") return join(variables["APPDATA"] ?? home, "workflow-ui");
  return join(home, ".config", "workflow-ui");
}

/** The address of a service without a slash at its end. */
export function serviceUrl(text: string, origin: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Failure("usage", `${origin} must be an http or https URL.`, {
      next: "Give it as in http://127.0.0.1:8080.",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new Failure("usage", `${origin} must not carry a user or a password.`);
  }
  return `${url.origin}${withoutTrailing(url.pathname, "/")}`;
}
