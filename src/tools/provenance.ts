import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const listSvcFingerprints = defineTool({
  name: "list_svc_fingerprints",
  title: "List svc fingerprints",
  description: "list svc fingerprints (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_svc_fingerprints"),
});

export const lookupSvcProvenance = defineTool({
  name: "lookup_svc_provenance",
  title: "Lookup svc provenance",
  description: "public-safe provenance lookup (description to be written by the owner of this domain)",
  params: params({
    url: Type.Optional(Type.String()),
    hash: Type.Optional(Type.String()),
    recordId: Type.Optional(Type.String()),
    workflowId: Type.Optional(Type.String()),
    runId: Type.Optional(Type.String()),
    artifactId: Type.Optional(Type.String()),
    delegationId: Type.Optional(Type.String()),
    formId: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("lookup_svc_provenance"),
});

export const verifySvcProvenance = defineTool({
  name: "verify_svc_provenance",
  title: "Verify svc provenance",
  description: "verify a provenance record (description to be written by the owner of this domain)",
  params: params({ recordId: Type.Optional(Type.String()), hash: Type.Optional(Type.String()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("verify_svc_provenance"),
});

/** The tools of this domain. */
export const provenanceTools: readonly Tool[] = [
  listSvcFingerprints,
  lookupSvcProvenance,
  verifySvcProvenance,
];
