import { fileURLToPath } from "node:url";
import type { Variables } from "./environment.ts";

/** The database that the service would use: DATABASE_URL, or the file in this installation's folder. */
export function databaseUrl(variables: Variables): string {
  const given = variables["DATABASE_URL"]?.trim();
  if (given !== undefined && given !== "") return given;
  return `sqlite:${fileURLToPath(new URL("../../data/workflow-ui.db", import.meta.url))}`;
}
