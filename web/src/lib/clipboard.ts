import { toast } from "../shell/notices.ts";

/** Copies text and says so; says it too when the browser refuses. */
export async function copyText(text: string, what = "Copied"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("good", what);
  } catch {
    toast("bad", "The browser did not allow copying", "Select the text and copy it by hand.");
  }
}

/** Gives the person a file to save. */
export function download(name: string, text: string, type = "application/json"): void {
  save(name, new Blob([text], { type }));
}

/** Hands bytes over as a file; they come as base64. */
export function downloadBytes(name: string, base64: string, type: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  save(name, new Blob([bytes], { type: type === "" ? "application/octet-stream" : type }));
}

function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
