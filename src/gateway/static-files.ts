import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { sha256Hex } from "../kernel/canonical-json.ts";
import type { EdgeAnswer } from "./edge.ts";
import type { EdgeRequest } from "./exchange.ts";

/** Serves the built web app. */
export interface StaticFiles {
  /** The file at a path, or the app's page for a navigation; undefined when the path is not the app's. */
  serve(request: Pick<EdgeRequest, "method" | "headers">, path: string): Promise<EdgeAnswer | undefined>;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  webmanifest: "application/manifest+json; charset=utf-8",
  map: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
  txt: "text/plain; charset=utf-8",
};

/** What is stored compressed is sent as it is, or unpacked for a client that does not take Brotli. */
const COMPRESSED = ".br";

const NOT_BUILT =
  "<!doctype html><meta charset=utf-8><title>Workflow-UI</title><h1>The web app is not built yet</h1><p>Run <code>npm start</code> once; it builds the app. The API at <code>/api/mcp</code> works without it.</p>";

/** Serves the files of a folder. Paths are looked up in a list of the files that exist: nothing outside can be named. */
export function createStaticFiles(root: URL): StaticFiles {
  const folder = fileURLToPath(root);
  let listing: Promise<Listing> | undefined;
  const etags = new Map<string, string>();
  const list = async (): Promise<Listing> => {
    const files = await (listing ??= listFiles(folder));
    // Nothing there: look again next time, the build may still come.
    if (files.size === 0) listing = undefined;
    return files;
  };

  async function file(
    request: Pick<EdgeRequest, "headers">,
    name: string,
    files: Listing,
  ): Promise<EdgeAnswer> {
    const isCompressed = files.get(name) === true;
    const isSentSo = isCompressed && takesBrotli(request.headers["accept-encoding"]);
    const stored = await readFile(join(folder, name + (isCompressed ? COMPRESSED : "")));
    const content = isCompressed && !isSentSo ? await promisify(brotliDecompress)(stored) : stored;
    const variant = name + (isSentSo ? COMPRESSED : "");
    const etag = etags.get(variant) ?? `"${sha256Hex(content).slice(0, 27)}"`;
    etags.set(variant, etag);
    const headers = [...baseHeaders(name), "etag", etag, "vary", "Accept-Encoding"];
    if (isSentSo) headers.push("content-encoding", "br");
    const known = request.headers["if-none-match"];
    if (known !== undefined && known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
      return { status: 304, headers, body: null };
    }
    return { status: 200, headers, body: content };
  }

  return {
    async serve(request, path) {
      if (request.method !== "GET" && request.method !== "HEAD") return undefined;
      const files = await list();
      const name = path.slice(1);
      if (files.has(name)) return file(request, name, files);
      if (!isNavigation(path, request.headers.accept)) return undefined;
      if (files.has("index.html")) return file(request, "index.html", files);
      return { status: 503, headers: [...baseHeaders("index.html"), "retry-after", "5"], body: NOT_BUILT };
    },
  };
}

/** A person's browser asks for HTML, and never for an API path or a file. */
function isNavigation(path: string, accept: string | undefined): boolean {
  if (path === "/") return true;
  if (!path.startsWith("/") || /^\/(?:api|\.well-known)(?:\/|$)/.test(path)) return false;
  if (/[;%\\]|\/\//.test(path) || /\.[A-Za-z0-9]+$/.test(path)) return false;
  return accept?.includes("text/html") === true;
}

function takesBrotli(header: string | string[] | undefined): boolean {
  const parts = (typeof header === "string" ? header : "").split(",");
  return parts.some((part) => /^\s*br\s*(?:;|$)/.test(part) && !/;\s*q=0(?:\.0*)?\s*$/.test(part));
}

function baseHeaders(name: string): string[] {
  const hashed = name.startsWith("assets/") && /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/.test(name);
  return [
    "content-type",
    TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "cache-control",
    hashed ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy",
    POLICY,
    "referrer-policy",
    "no-referrer",
    "cross-origin-opener-policy",
    "same-origin",
    "permissions-policy",
    "camera=(), geolocation=(), microphone=()",
  ];
}

/** The names of the files, each with whether it is stored compressed. */
type Listing = ReadonlyMap<string, boolean>;

async function listFiles(folder: string): Promise<Listing> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return new Map(
      files.map((entry) => {
        const name = join(entry.parentPath, entry.name).slice(folder.replace(/\/$/, "").length + 1);
        const isCompressed = name.endsWith(COMPRESSED);
        return [isCompressed ? name.slice(0, -COMPRESSED.length) : name, isCompressed];
      }),
    );
  } catch {
    return new Map();
  }
}
