/*
 * Words that people write in capitals, or with capitals inside. Words that are also plain English (rest, it, us) are
 * left out.
 */

const CAPITALS =
  "AI API ARN ASCII AWS CA CDN CI CIDR CLI CORS CPU CRD CSS CSV DB DNS EU FAQ FTP GPS GPU HMAC HTML HTTP HTTPS IAM IBAN ID IP ISO JPEG JS JSON JWT LDAP LLM MAC MCP MFA MIME NPM OIDC OS OTP PDF PEM PNG QR RBAC RPC RSS S3 SAML SDK SHA SKU SLA SMS SMTP SQL SSH SSL SSO SVG TCP TLS TTL UDP UI URI URL URN USB UTC UUID VAT VM VPC VPN XML YAML";
const MIXED =
  "GitHub GitLab GraphQL gRPC iOS IPv4 IPv6 JavaScript macOS MySQL OAuth OAuth2 OpenAI OpenAPI PostgreSQL TypeScript YouTube";

const SPELLINGS = new Map(`${CAPITALS} ${MIXED}`.split(" ").map((word) => [word.toLowerCase(), word]));

/** Words that splitting at capitals would cut in the middle. */
const UNCUT = new RegExp(`(?:${MIXED.split(" ").sort(longerFirst).map(eitherCase).join("|")})(?![a-z])`, "g");

function longerFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** Names often begin in lower case: `openAPIVersion`. */
function eitherCase(word: string): string {
  const first = word.charAt(0);
  return `[${first.toLowerCase()}${first.toUpperCase()}]${word.slice(1)}`;
}

/** A word as people write it: `url` → `URL`, `ids` → `IDs`, `github` → `GitHub`; undefined when nothing is special about it. */
export function spelling(word: string): string | undefined {
  const lower = word.toLowerCase();
  const known = SPELLINGS.get(lower);
  if (known !== undefined || lower.length < 3 || !lower.endsWith("s")) return known;
  const single = SPELLINGS.get(lower.slice(0, -1));
  return single === undefined ? undefined : `${single}s`;
}

/** A name with the words that must not be cut set apart. */
export function setApart(name: string): string {
  return name.replace(UNCUT, (word) => ` ${word.toLowerCase()} `);
}
