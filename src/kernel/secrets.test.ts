import assert from "node:assert/strict";
import { it } from "node:test";
import { holdsSecret, isSecretName, maskSecrets, tellsSecret } from "./secrets.ts";

/* Names as services document them: headers, query parameters, cookies, members of bodies, variables. */
const SECRET = `
  Authorization Proxy-Authorization Cookie Set-Cookie X-API-Key X-Api-Token apikey api_key apiKey APIKEY
  X-Auth-Token X-Auth-Key X-Access-Token access_token accessToken refresh_token id_token client_secret clientSecret
  client_assertion code_verifier oauth_token oauth_signature oauth_consumer_key
  AWSAccessKeyId AWS_SECRET_ACCESS_KEY aws_session_token X-Amz-Security-Token X-Amz-Signature X-Amz-Credential
  Stripe-Signature STRIPE_SECRET_KEY X-Hub-Signature-256 GITHUB_TOKEN GITHUB_PERSONAL_ACCESS_TOKEN GH_PAT
  PRIVATE-TOKEN JOB-TOKEN X-Gitlab-Token SLACK_BOT_TOKEN X-Slack-Signature SLACK_SIGNING_SECRET
  X-Shopify-Access-Token X-Shopify-Hmac-Sha256 AuthToken TWILIO_AUTH_TOKEN X-Twilio-Signature
  DD-API-KEY DD-APPLICATION-KEY X-Auth-User-Service-Key CF-Access-Client-Secret CF_API_TOKEN
  sig Ocp-Apim-Subscription-Key x-functions-key SharedAccessKey AZURE_STORAGE_KEY key X-Goog-Api-Key
  X-Vault-Token X-Figma-Token X-N8N-API-KEY x-rapidapi-key Api-Key api-token appkey hapikey
  X-CSRF-Token X-XSRF-TOKEN csrfmiddlewaretoken PHPSESSID JSESSIONID connect.sid session_id sessionToken sid
  password passwd pwd user_pass userPassword db_password PGPASSWORD passphrase pin otp_code totp jwt
  mfa_code recovery_code verificationCode security_answer appid
  private_key privateKey service_account_key webhook_secret signing_key bearer credentials SENDGRID_API_KEY
`;

/*
 * Names that only look alike. `tokens` are counted by language models, `tokenize` is a verb, a page token says where to
 * read on, an idempotency key is made by the caller, and what ends in `type`, `url`, `name`, … is about a secret.
 */
const HARMLESS = `
  author authors authority keyboard keyword keywords passenger compass bypass monkey turkey pinned pinterest opinion
  tokenize tokenizer tokens max_tokens total_tokens design signal assign significant sessions path patch pattern patient
  secretary cookieless sidebar inside residence otpauth_type hotkeys keys option optional spin shipping captain
  Idempotency-Key public_key publicKey primaryKey foreign_key sort_key cache-key pageToken nextToken next_page_token
  token_type tokenUrl token_endpoint auth_url authMethod session_duration key_type secretName password_required
  code status_code error_code country_code zipCode answer question
  Accept Content-Type User-Agent name title email id url status customer amount currency description
`;

const listed = (text: string): readonly string[] => text.trim().split(/\s+/);

it("names of secrets are recognised by their words", () => {
  assert.deepEqual(
    listed(SECRET).filter((name) => !isSecretName(name)),
    [],
    "missed",
  );
  assert.deepEqual(
    listed(HARMLESS).filter((name) => isSecretName(name)),
    [],
    "taken for secrets",
  );
});

it("a text tells a secret by the name before it, whatever it is written in", () => {
  for (const text of [
    "user=a&password=hunter2",
    '{\\"password\\": \\"hunter2\\"}',
    "<login><password>hunter2</password></login>",
    '<wsse:Password Type="text">hunter2</wsse:Password>',
    "api_key: hunter2",
    "see postgres://ada:hunter2@db.example.com/x",
  ])
    assert.equal(tellsSecret(text), true, text);
  for (const text of [
    "The key: value pairs",
    "<title>Sign in</title>",
    "password=",
    "postgres://ada:{password}@db/x and http://db:5432/a@b",
    "a=b&c=d",
    "<password/>",
  ])
    assert.equal(tellsSecret(text), false, text);
});

it("a doubtful name counts with a value that could be a secret", () => {
  assert.equal(holdsSecret("key", "AIzaSyD4e5f6g7h8"), true);
  assert.equal(holdsSecret("key", "PROJ-12"), false);
  assert.equal(holdsSecret("session", "morning"), false);
  assert.equal(holdsSecret("password", "x"), true);
  assert.equal(holdsSecret("hasPassword", true), false);
  assert.equal(holdsSecret("pin", 1234), true);
  assert.equal(holdsSecret("token", 512), false);
  assert.deepEqual(
    maskSecrets({ items: [{ key: "PROJ-12", api_key: "k", auth: { user: "u", pwd: "p" } }] }),
    {
      items: [
        {
          key: "PROJ-12",
          api_key: { $redacted: "secret" },
          auth: { user: "u", pwd: { $redacted: "secret" } },
        },
      ],
    },
  );
});
