import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { startService, type TestService } from "../support/service.ts";
import { callWith, resourceMetadata } from "./support.ts";

describe("tokens of another authorization server", () => {
  let issuer: Server;
  let issuerUrl: string;
  let service: TestService;
  let owner: Member;
  let editor: Member;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let isDown = false;

  before(async () => {
    keys = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "ES256", use: "sig" };
    issuer = createServer((request, response) => {
      const documents: Record<string, unknown> = {
        "/.well-known/openid-configuration": { issuer: issuerUrl, jwks_uri: `${issuerUrl}/jwks` },
        "/jwks": { keys: [jwk] },
      };
      const found = isDown ? undefined : documents[request.url ?? ""];
      response.writeHead(isDown ? 500 : found === undefined ? 404 : 200, {
        "content-type": "application/json",
      });
      response.end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((listening) => issuer.listen(0, "127.0.0.1", listening));
    const address = issuer.address();
    assert.ok(typeof address === "object" && address !== null);
    issuerUrl = `http://127.0.0.1:${address.port}`;
    service = await startService({
      settings: { oauthIssuer: issuerUrl, trustedHosts: [`127.0.0.1:${address.port}`] },
    });
    owner = await makeOwner(service);
    editor = await addMember(service, owner, "editor");
  });
  after(async () => {
    await service.close();
    issuer.close();
  });

  const token = (claims: JWTPayload = {}, key = keys.privateKey, ends: string | number = "5m") =>
    new SignJWT({
      scope: "run write approve",
      email: editor.email,
      email_verified: true,
      client_id: "keycloak-app",
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer(claims.iss ?? issuerUrl)
      .setAudience(claims.aud ?? `${service.url}/api/mcp`)
      .setSubject("someone")
      .setIssuedAt()
      .setExpirationTime(ends)
      .sign(key);

  it("waits for the issuer: while it is down nothing is believed, and the answer says why", async () => {
    isDown = true;
    const refused = await callWith(service, await token());
    assert.equal(refused.status, 503);
    assert.match(refused.text, /OAUTH_ISSUER/);
    isDown = false;
    assert.equal((await callWith(service, await token())).ok, true);
  });

  it("names the issuer, and has no authorization server of its own", async () => {
    const metadata = await resourceMetadata(service, "/.well-known/oauth-protected-resource/api/mcp");
    assert.deepEqual(metadata.authorization_servers, [issuerUrl]);
    for (const path of ["/.well-known/oauth-authorization-server", "/oauth/authorize"])
      assert.equal((await service.fetch(path)).status, 404);
  });

  it("takes a token for us, within the person's role", async () => {
    const made = await callWith(service, await token());
    assert.equal(made.ok, true, made.text);
    assert.equal((await callWith(service, await token(), "approve_step", { id: "x" })).status, 403);
    assert.equal((await callWith(service, await token({ aud: ["x", service.url] }))).status, 200);
  });

  it("refuses every other token", async () => {
    const other = await generateKeyPair("ES256");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const now = Math.floor(Date.now() / 1_000);
    const good = await token();
    for (const [why, wrong] of Object.entries({
      "another resource": await token({ aud: "https://other.example/mcp" }),
      "another endpoint": await token({ aud: `${service.url}/mcp` }),
      "another issuer": await token({ iss: "https://evil.example" }),
      "another key": await token({}, other.privateKey),
      "nobody here": await token({ email: "nobody@example.com" }),
      "an address that was not verified": await token({ email_verified: false }),
      "an address without email_verified": await token({ email_verified: undefined }),
      "no address": await token({ email: undefined }),
      over: await token({}, keys.privateKey, now - 60),
      "not signed": `${none}.${good.split(".")[1]}.x`,
      changed: `${good.slice(0, -4)}AAAA`,
    })) {
      const refused = await callWith(service, wrong);
      assert.equal(refused.status, 401, why);
      assert.match(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/, why);
    }
    // Clocks may be a few seconds apart.
    assert.equal((await callWith(service, await token({}, keys.privateKey, now - 5))).status, 200);
  });

  it("takes a known account at the issuer, whatever its address is", async () => {
    const { store } = service.app.services;
    await store.transact((tx) =>
      tx.people.addIdentity(issuerUrl, "someone", editor.id, new Date().toISOString()),
    );
    const known = await callWith(service, await token({ email: undefined, email_verified: undefined }));
    assert.equal(known.ok, true, known.text);
  });

  it("ends with the person", async () => {
    const held = await token();
    await owner.visitor.ask("PATCH", `/api/svc/people/${editor.id}`, { state: "disabled" });
    assert.equal((await callWith(service, held)).status, 401);
  });
});
