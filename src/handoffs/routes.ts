import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import { declaredDemoSuite, liveDemoSuite, runDemoSuite } from "./demo-suite.ts";
import { runFromHandoff } from "./outcome.ts";
import { handoffView, listHandoffs, showHandoff } from "./views.ts";

const HANDOFFS = "/api/svc/handoffs";

/** The routes of handoffs and the demo suite, besides the receiver's own. */
export const handoffRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: HANDOFFS,
    summary: "Received and sent handoffs, newest first (direction, state, limit, cursor).",
    access: "key",
    handle: async ({ query, context }) => ({
      status: 200,
      body: ok(await listHandoffs(query, context)),
    }),
  },
  {
    method: "GET",
    path: `${HANDOFFS}/{id}`,
    summary: "One handoff: where it stands, what was tried and what was confirmed.",
    access: "key",
    async handle(request) {
      const direction = request.query.get("direction");
      if (direction !== null && direction !== "in" && direction !== "out") {
        throw new AppError("invalid_input", "direction is in or out.");
      }
      return { status: 200, body: ok(await showHandoff(idIn(request), direction, request.context)) };
    },
  },
  {
    method: "POST",
    path: `${HANDOFFS}/{id}/run`,
    summary: "Starts a run of a chosen workflow from an accepted handoff; its outcome becomes the handoff's.",
    access: "key",
    async handle(request) {
      const { handoff, run } = await runFromHandoff(idIn(request), request.body, request.context);
      const { baseUrl } = request.context.services.settings;
      return {
        status: 202,
        body: ok({
          handoff: handoffView(handoff, baseUrl),
          run: { id: run.id, status: run.state, workflowId: run.workflowId },
        }),
      };
    },
  },
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

function idIn({ path }: HttpRequest): string {
  const [part = ""] = path.slice(HANDOFFS.length + 1).split("/");
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AppError("not_found", "There is no handoff with this id.");
  }
}
