import { ok } from "../kernel/envelope.ts";
import { requireScope } from "../ports/caller.ts";
import type { HttpRoute } from "../ports/http.ts";

/** What an operator does with the provenance log that no tool does. */
export const provenanceRoutes: readonly HttpRoute[] = [
  {
    method: "POST",
    path: "/api/svc/provenance/rotate",
    summary: "Makes a new signing key and retires the present one; what that one signed stays valid.",
    access: "key",
    async handle({ context }) {
      requireScope(context.caller, "admin");
      const key = await context.services.provenance.rotateKey(context.caller.id);
      return { status: 201, body: ok({ key }) };
    },
  },
];
