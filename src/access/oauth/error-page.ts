import { escaped } from "../../kernel/text.ts";

/** What a person sees when a client asks in a way that cannot be answered, and there is nowhere safe to send it back to. */
export function errorPage(error: string, description: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Cannot connect</title><h1>This program cannot be connected</h1><p>${escaped(description)} (${escaped(error)})</p><p>Start again in the program. If it happens again, its maker has to fix it.</p></html>`;
}
