import type { Json } from "../../kernel/json.ts";
import type { Template } from "./placeholders.ts";

/** A name with its value: a header, a query parameter or a field of a form. */
export interface Pair {
  readonly name: string;
  readonly value: Template;
  /** Where it stands in what was given. */
  readonly pointer: string;
}

/** What a request carries. */
export type HttpBody =
  | { readonly kind: "json"; readonly value: Json; readonly contentType: string }
  | { readonly kind: "text"; readonly text: Template; readonly contentType: string }
  | { readonly kind: "fields"; readonly fields: readonly Pair[]; readonly contentType: string };

/** A credential that calls of a connection need. Its secret is never part of an import. */
export interface CredentialNeed {
  readonly kind: "bearer" | "apiKey" | "basic" | "oauth2" | "other";
  /** Where an API key goes. */
  readonly in?: "header" | "query" | "cookie";
  readonly parameter?: string;
  readonly username?: string;
  /** What the credential was called where the workflow comes from. */
  readonly called?: string;
  /** Where the secret stood in what was given. */
  readonly pointer: string;
}

/** One HTTP request that an imported file makes. */
export interface HttpCall {
  /** What people call it. */
  readonly name: string;
  readonly description: string;
  readonly method: string;
  readonly url: Template;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: HttpBody | null;
  readonly needs: readonly CredentialNeed[];
  readonly pointer: string;
}
