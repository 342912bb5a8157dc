import { withoutTrailing } from "../../kernel/text.ts";
import type { ResourceMetadataView } from "../../model/oauth.ts";
import type { TokenRefusal } from "../../ports/oauth.ts";
import { OFFERED_SCOPES } from "./scopes.ts";

/** Where the metadata of a protected resource is (RFC 9728); the path of the resource follows it. */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";
/** The paths of this service that are resources of their own, besides the service as a whole. */
export const MCP_PATHS = ["/api/mcp", "/mcp"] as const;

const TOOLSET = /^\/mcp\/[a-z0-9][a-z0-9-]{0,62}$/;

/** The resource identifiers of this service (RFC 8707): the service as a whole, and each MCP endpoint. */
export class Resources {
  readonly base: string;
  readonly #issuer: string;

  /** `issuer` is who gives tokens for this service: the service itself, or another authorization server. */
  constructor(baseUrl: string, issuer: string) {
    this.base = withoutTrailing(baseUrl, "/");
    this.#issuer = issuer;
  }

  /** The one spelling of a resource of ours; null when it is not ours. */
  identifier(text: string): string | null {
    const url = URL.parse(text);
    if (url === null || url.search !== "" || url.hash !== "") return null;
    const wanted = withoutTrailing(url.href, "/");
    const base = withoutTrailing(new URL(this.base).href, "/");
    if (wanted === base) return this.base;
    const path = wanted.startsWith(base) ? wanted.slice(base.length) : "";
    return MCP_PATHS.some((known) => known === path) || TOOLSET.test(path) ? `${this.base}${path}` : null;
  }

  /** True when a token for this resource counts at a path: the resource itself and what lies below it. */
  covers(resource: string, path: string): boolean {
    const own = this.identifier(resource);
    if (own === null) return false;
    const below = own.slice(this.base.length);
    return below === "" || path === below || path.startsWith(`${below}/`);
  }

  /** The metadata of the resource at a path; the service as a whole without one. */
  metadata(path: (typeof MCP_PATHS)[number] | ""): ResourceMetadataView {
    return {
      resource: `${this.base}${path}`,
      authorization_servers: [this.#issuer],
      scopes_supported: [...OFFERED_SCOPES],
      bearer_methods_supported: ["header"],
      resource_name: "Workflow-UI",
    };
  }

  /** WWW-Authenticate of a refusal at a path: where the metadata is, and which scopes to ask for. */
  challenge(path: string, { error, scopes = OFFERED_SCOPES }: TokenRefusal): string {
    const resource = MCP_PATHS.find((known) => path === known || path.startsWith(`${known}/`)) ?? "";
    const parts = [
      'realm="workflow-ui"',
      ...(error === null ? [] : [`error="${error}"`]),
      `resource_metadata="${this.base}${RESOURCE_METADATA}${resource}"`,
      `scope="${scopes.join(" ")}"`,
    ];
    return `Bearer ${parts.join(", ")}`;
  }
}
