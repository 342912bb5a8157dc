import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const getRouteCompliance = defineTool({
  name: "get_route_compliance",
  title: "Get route compliance",
  description: "get route compliance (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_route_compliance"),
});

export const getDiscoveryCompliance = defineTool({
  name: "get_discovery_compliance",
  title: "Get discovery compliance",
  description: "get discovery compliance (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_discovery_compliance"),
});

export const getSvcWebManifest = defineTool({
  name: "get_svc_web_manifest",
  title: "Get svc web manifest",
  description: "get svc web manifest (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_web_manifest"),
});

export const getSvcWebStatus = defineTool({
  name: "get_svc_web_status",
  title: "Get svc web status",
  description: "get svc web status (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_web_status"),
});

export const getSvcWebScorecard = defineTool({
  name: "get_svc_web_scorecard",
  title: "Get svc web scorecard",
  description: "get svc web scorecard (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_web_scorecard"),
});

export const getSvcWeb4Manifest = defineTool({
  name: "get_svc_web4_manifest",
  title: "Get svc web4 manifest",
  description: "get svc web4 manifest (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_web4_manifest"),
});

export const getSvcWeb4Status = defineTool({
  name: "get_svc_web4_status",
  title: "Get svc web4 status",
  description: "get svc web4 status (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_web4_status"),
});

export const getSvcScorecard = defineTool({
  name: "get_svc_scorecard",
  title: "Get svc scorecard",
  description: "get svc scorecard (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_scorecard"),
});

/** The tools of this domain. */
export const complianceTools: readonly Tool[] = [
  getRouteCompliance,
  getDiscoveryCompliance,
  getSvcWebManifest,
  getSvcWebStatus,
  getSvcWebScorecard,
  getSvcWeb4Manifest,
  getSvcWeb4Status,
  getSvcScorecard,
];
