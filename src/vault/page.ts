import { escaped } from "../kernel/text.ts";

/** The pages of a sign-in in the browser. They hold no script, and of what came in the address they repeat nothing. */
export function signInPage(
  title: string,
  text: string,
  baseUrl: string,
  next = { href: `${baseUrl}/`, text: "Open Workflow-UI" },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Workflow-UI</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; display: grid; min-height: 100vh; place-items: center; }
main { max-width: 32rem; padding: 2rem; }
h1 { font-size: 1.5rem; margin: 0 0 0.5rem; }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<p><a href="${escaped(next.href)}">${escaped(next.text)}</a></p>
</main>
</body>
</html>
`;
}
