import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import type { HttpRoute } from "../ports/http.ts";
import { declaredDemoSuite, liveDemoSuite, runDemoSuite } from "./demo-suite.ts";

/** The routes of the demo suite. */
export const handoffRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: "/api/svc/demo-suite",
    summary: "The six-step demo flow; with mode=live its public-safe steps are probed.",
    access: "public",
    async handle({ query, context }) {
      const mode = query.get("mode") ?? "declared";
      if (mode === "declared") return { status: 200, body: ok(declaredDemoSuite(context)) };
      if (mode === "live") return { status: 200, body: ok(await liveDemoSuite(context)) };
      throw new AppError("invalid_input", "mode is declared or live.");
    },
  },
  {
    method: "POST",
    path: "/api/svc/demo-suite/run",
    summary: "Runs all six steps of the demo flow for real; the protected ones are handed over.",
    access: "key",
    handle: async ({ context }) => ({ status: 200, body: ok(await runDemoSuite(context)) }),
  },
];
