/*
 * What the suite starts as the client. A service takes longer to load than a scenario takes, so this program only asks
 * the process of the tests, named by its first argument, to play the client, and ends as that ends.
 */
const [askedAt = "", serverUrl = ""] = process.argv.slice(2);
const response = await fetch(askedAt, {
  method: "POST",
  body: JSON.stringify({
    serverUrl,
    name: process.env["MCP_CONFORMANCE_SCENARIO"] ?? "",
    context: JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"),
  }),
});
if (!response.ok) throw new Error(await response.text());
