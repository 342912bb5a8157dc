/*
 * Words that people write in capitals, or with capitals inside. Words that are also plain English (rest, it, us) are
 * left out.
 */

const CAPITALS =
  "AES AI AMQP API ARN ASCII AWS BIC CA CDN CI CIDR CLI CNAME CORS CPU CRD CRM CRUD CSP CSRF CSS CSV CVE DB DNS DOM DTO EU EUR FAQ FQDN FTP GCP GIF GMT GPG GPS GPU GUID HMAC HTML HTTP HTTPS IAM IBAN ID IDE IDP IMAP IP ISBN ISO JPEG JS JSON JVM JWK JWKS JWT KMS KPI LAN LDAP LLM LTS MAC MCP MD5 MFA MIME ML NAT NFC NPM OCI OCR OIDC OS OTP PDF PEM PGP PHP PII PNG POS PR QA QR RBAC RDS RPC RSA RSS S3 SAML SDK SEO SEPA SFTP SHA SKU SLA SMS SMTP SNS SPDX SQL SQS SSD SSE SSH SSL SSO STUN SVG SWIFT TCP TLS TOML TOTP TSV TTL TTY UDP UI UPC URI URL URN USB USD UTC UTF UUID UX VAT VCS VM VPC VPN WASM WAV XHTML XML XSS YAML ZIP";
const MIXED =
  "AsyncAPI BitBucket DevOps DynamoDB eBPF GitHub GitLab GraphQL gRPC iOS IPv4 IPv6 JavaScript JSONPath LaTeX LinkedIn macOS MongoDB MySQL NoSQL OAuth OAuth2 OpenAI OpenAPI OpenID PayPal PostgreSQL PowerShell RabbitMQ SQLite TypeScript WebGL WebP WebRTC WhatsApp WiFi YouTube";

const SPELLINGS = new Map<string, string>([
  ...[...CAPITALS.split(" "), ...MIXED.split(" ")].map((word): [string, string] => [
    word.toLowerCase(),
    word,
  ]),
  ["wifi", "Wi-Fi"],
  ["sha1", "SHA-1"],
  ["sha256", "SHA-256"],
  ["sha512", "SHA-512"],
  ["utf8", "UTF-8"],
]);

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
