import { LRUCache } from "lru-cache";
import { agentEntry } from "./agent/entry.ts";
import { toolsetEntry } from "./agent/toolset-entry.ts";
import { openConnections } from "./connections/service.ts";
import { startEvents } from "./events/events.ts";
import type { EngineOptions } from "./engine/engine.ts";
import { Hold } from "./engine/hold.ts";
import { openEngine } from "./engine/open.ts";
import { withTokens } from "./gateway/auth.ts";
import { createAppPage, type AppPage } from "./gateway/app-page.ts";
import { AGENT_PROTOCOL_ERRORS, createCatalog } from "./gateway/catalog.ts";
import { ProxyNotice } from "./gateway/client-address.ts";
import { createEdge, type RpcEndpoint } from "./gateway/edge.ts";
import type { LimitSettings } from "./gateway/limits.ts";
import { openListener, type Listener, type SocketSettings } from "./gateway/listener.ts";
import type { Method } from "./gateway/method.ts";
import { createMethods } from "./gateway/methods.ts";
import { createMetrics } from "./gateway/metrics.ts";
import { operationRoutes } from "./gateway/operations.ts";
import { createQuickLane } from "./gateway/quick.ts";
import { createRateLimiter } from "./gateway/rate-limit.ts";
import { createRpcHandler } from "./gateway/rpc.ts";
import { createSite, type LateSite } from "./gateway/site.ts";
import { createWatchdog } from "./gateway/watchdog.ts";
import { createStaticFiles } from "./gateway/static-files.ts";
import { createMailer } from "./notifications/mailer.ts";
import { startNotifier, type NotifierOptions } from "./notifications/notifier.ts";
import { startHandoffWorker } from "./handoffs/worker.ts";
import { createGuard } from "./guard/guard.ts";
import { createKeyring, type ManagedKeyring } from "./access/keys/keyring.ts";
import { createLog, writeReadable } from "./gateway/log.ts";
import type { Clock, Fetcher, Log } from "./ports/platform.ts";
import type { Tool } from "./ports/operations.ts";
import type { Registry, Services } from "./ports/services.ts";
import type { Settings } from "./ports/settings.ts";
import { DOCUMENT_LOCATIONS } from "./discovery/locations.ts";
import { startDocumentRecorder } from "./provenance/documents.ts";
import { createProvenance } from "./provenance/provenance.ts";
import { agentRegistry, operations, prompts, resources, tools } from "./registry.ts";
import { ensureBlueprint } from "./triggers/blueprint.ts";
import { ensureExamples } from "./workflows/examples.ts";
import { runListItem } from "./runs/views.ts";
import { startPruner } from "./retention/pruner.ts";
import { createFetcher } from "./fetch/fetcher.ts";
import { createSiblings } from "./siblings/siblings.ts";
import { openOAuth } from "./access/oauth/open.ts";
import { openPeople } from "./access/people/open.ts";
import type { PasswordCost } from "./access/people/passwords.ts";
import type { People } from "./access/people/people.ts";
import { StoredRights } from "./access/people/rights.ts";
import { launchSuite } from "./siblings/suite-launcher.ts";
import { startBackups } from "./storage/maintenance/schedule.ts";
import { databaseTarget, lockDatabase, openStore } from "./storage/open.ts";
import { startScheduler, type SchedulerOptions } from "./triggers/scheduler.ts";
import { createSpanExporter } from "./tracing/otlp.ts";
import { openVault } from "./vault/open.ts";
import { viewOfTool } from "./workflows/catalog-view.ts";
import { createWorkerPool } from "./workers/pool.ts";

/** What tests and benchmarks may replace. */
export interface AppOptions {
  readonly registry?: Registry;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limits?: Partial<LimitSettings>;
  readonly sockets?: Partial<SocketSettings>;
  readonly engine?: EngineOptions;
  readonly notifications?: NotifierOptions;
  readonly triggers?: SchedulerOptions;
  /** What hashes of passwords cost, where a test makes hundreds. */
  readonly passwordCost?: PasswordCost;
  /** Compare every answer of an operation with its declared output, and fail where it deviates. */
  readonly checkOutputs?: boolean;
  /** Answers for hosts that a test cannot reach. */
  readonly fetcher?: (guarded: Fetcher) => Fetcher;
}

/** The running service. */
export interface App {
  readonly services: Services;
  readonly keyring: ManagedKeyring;
  readonly people: People;
  readonly port: number;
  /** Resolves when the work that follows the start is over. */
  readonly settled: Promise<void>;
  /** Stops taking requests, finishes those at hand within the grace, and closes everything. */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_BASE = /^http:\/\/127\.0\.0\.1:0$/;

/** Wires the service and starts it. The only place where parts meet. */
export async function startApp(given: Settings, options: AppOptions = {}): Promise<App> {
  const clock = options.clock ?? { now: () => Date.now() };
  const log =
    options.log ?? createLog(given.logLevel, given.logFormat === "text" ? writeReadable : undefined);
  // The socket comes first: with port 0 the address of the service is known only then.
  const listener = await openListener(given, options.sockets);
  try {
    return await wire(given, options, listener, clock, log);
  } catch (error) {
    await listener.drain(0);
    throw error;
  }
}

async function wire(
  given: Settings,
  options: AppOptions,
  listener: Listener,
  clock: Clock,
  log: Log,
): Promise<App> {
  const baseUrl = given.baseUrl.replace(DEFAULT_BASE, `http://127.0.0.1:${listener.port}`);
  const suite = given.withSuite ? await launchSuite({ baseUrl }) : null;
  const siblings = { ...suite?.siblings, ...given.siblings };
  // A person who evaluates the service with its reference siblings may use its own API description as an example.
  const own = suite === null ? [] : [new URL(baseUrl).host];
  const trustedHosts = [...given.trustedHosts, ...own];
  const settings: Settings = { ...given, port: listener.port, baseUrl, siblings, trustedHosts };
  const lock = lockDatabase(settings.databaseUrl);
  const store = await openStore(settings.databaseUrl, { clock, log }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const provenance = createProvenance({ store, clock });
  const keyring = createKeyring({ store, settings, clock, log, provenance });
  const guarded = createFetcher(settings);
  const fetcher = options.fetcher?.(guarded) ?? guarded;
  const dispatch = { checkOutputs: options.checkOutputs === true };
  const guard = createGuard(() => services);
  const registered = options.registry ?? { tools, resources, prompts };
  const catalog = createCatalog(registered, dispatch, undefined, guard);
  const workers = createWorkerPool({
    shared: () => catalog.tools.map(viewOfTool),
    largeMemoryMb: largeMemoryMb(settings),
  });
  const site: LateSite = createSite(settings);
  const spans =
    settings.otlpEndpoint === null ? undefined : createSpanExporter(settings.otlpEndpoint, fetcher, log);
  const target = databaseTarget(settings.databaseUrl);
  const connections = await openConnections({
    store,
    clock,
    settings,
    programFolder: target.kind === "sqlite" && target.path !== ":memory:" ? `${target.path}-programs` : null,
    services: () => services,
  });
  const hold = await new Hold(store).open(log);
  const engine = openEngine({
    settings,
    store,
    clock,
    log,
    options: { hold, ...options.engine },
  });
  const { passwordCost } = options;
  const accounts = openPeople({
    store,
    clock,
    log,
    provenance,
    settings,
    fetcher,
    engine,
    ...(passwordCost && { passwordCost }),
  });
  const knowsBrowser = async (cookies: string | undefined): Promise<boolean> =>
    (await accounts.devices.personOf(cookies)) !== null;
  const oauth = openOAuth({ store, clock, log, fetcher, provenance, settings, knowsBrowser });
  const vault = await openVault({
    store,
    settings,
    clock,
    log,
    fetcher,
    provenance,
    databaseFile: target.kind === "sqlite" ? target.path : null,
  });
  const services: Services = {
    settings,
    clock,
    log,
    store,
    catalog,
    guard,
    site,
    fetcher,
    siblings: createSiblings({ settings, fetcher, clock }),
    engine,
    provenance,
    validator: workers,
    workers,
    credentials: vault,
    connections,
    stepUp: accounts.passkeys,
    rights: new StoredRights({ store, clock }),
    ...(spans && { spans }),
  };
  await engine.begin(services);
  const watchdog = createWatchdog(log);
  const backups =
    settings.backup === null || store.kind === "none"
      ? null
      : startBackups(settings.databaseUrl, settings.backup, clock, log);
  const metrics = createMetrics(watchdog, backups);
  const proxy = new ProxyNotice(log);
  const events = await startEvents({ store, fetcher, clock, log, settings, provenance, hold });
  const works = settings.role !== "gateway" && store.kind !== "none";
  const pruner = works ? startPruner(store, clock, log) : null;
  const scheduler = hold.whenOver(() => (works ? startScheduler(services, options.triggers) : null));
  const parts = {
    keyring,
    vault,
    connections,
    guard,
    runView: runListItem,
    ...events,
    pruner: pruner ?? { wake() {} },
    scheduler: { wake: () => scheduler()?.wake() },
    triggerRate: createRateLimiter(clock),
    hold,
    metrics,
    isDraining: () => listener.draining,
    proxy,
    accounts,
    oauth,
    securityContact: settings.securityContact,
  };
  const routes = operationRoutes(operations, parts, dispatch);
  const appPage = createAppPage(pathOf("web/dist-app/form.html"));
  const atMcp = options.registry ?? agentRegistry;
  const reached = { ...dispatch, alsoCalled: registered.tools };
  const agentCatalog = createCatalog(atMcp, reached, AGENT_PROTOCOL_ERRORS);
  const endpoints = new Map<string, RpcEndpoint>([
    ["/api/mcp", endpointOf(createMethods(catalog, appPage), catalog.tools)],
    ["/mcp", endpointOf(createMethods(agentCatalog, appPage, agentEntry), atMcp.tools)],
  ]);
  const edge = createEdge({
    services,
    keyring: withTokens(keyring, [accounts.tokens]),
    sessions: accounts.sessions,
    accessTokens: oauth.tokens,
    routes,
    metrics,
    watchdog,
    proxy,
    endpoint: (path) => endpoints.get(path) ?? toolsetAt(path, appPage),
    files: createStaticFiles(pathOf("web/dist/")),
    ...(options.limits && { limits: options.limits }),
  });
  site.attach(routes, edge);
  listener.serve(edge, metrics);
  const recorder =
    settings.role === "worker" || store.kind === "none"
      ? null
      : startDocumentRecorder(
          services,
          DOCUMENT_LOCATIONS.map((location) => location.path),
        );
  if (settings.withSuite && settings.role !== "worker" && store.kind !== "none") {
    await ensureExamples(services);
    await ensureBlueprint(services);
  }
  const { smtp } = settings;
  const notifier = hold.whenOver(() =>
    works
      ? startNotifier(
          services,
          smtp === null ? null : createMailer(smtp.url, smtp.from),
          options.notifications,
        )
      : null,
  );
  const handoffWorker = hold.whenOver(() =>
    settings.role === "gateway" ? null : startHandoffWorker(services),
  );
  return {
    services,
    keyring,
    people: accounts.people,
    port: listener.port,
    settled: recorder?.done ?? Promise.resolve(),
    async close(graceMs = settings.drainMs) {
      await Promise.all([listener.drain(graceMs), engine.drain(graceMs)]);
      watchdog.close();
      hold.close();
      await scheduler()?.close();
      await recorder?.stop();
      await engine.close();
      await connections.close();
      await spans?.close();
      await handoffWorker()?.close();
      await notifier()?.close();
      await suite?.close();
      await pruner?.close();
      await backups?.close();
      await events.close();
      await oauth.close();
      await keyring.close();
      await workers.close();
      await guarded.close();
      await store.close();
      lock.release();
    },
  };
}

/** Endpoints of toolsets, each made when it is first asked for; whether there is such a set is looked up then. */
const toolsetEndpoints = new LRUCache<string, RpcEndpoint>({ max: 200 });

function toolsetAt(path: string, appPage: AppPage): RpcEndpoint | undefined {
  const name = /^\/mcp\/([a-z0-9][a-z0-9-]{0,62})$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  const known = toolsetEndpoints.get(name);
  if (known !== undefined) return known;
  const { catalog, entry } = toolsetEntry(name);
  const made = endpointOf(createMethods(catalog, appPage, entry), []);
  toolsetEndpoints.set(name, made);
  return made;
}

function endpointOf(methods: ReadonlyMap<string, Method>, listed: readonly Tool[]): RpcEndpoint {
  return { rpc: createRpcHandler(methods), quick: createQuickLane(methods, listed) };
}

/** A parsed document takes several times its text; see SVC_DOCUMENT_LIMIT_MB. */
function largeMemoryMb({ documentBytes }: Settings): number {
  return 64 + (12 * Math.max(documentBytes.keyed, documentBytes.anonymous)) / 1_048_576;
}

function pathOf(relative: string): URL {
  return new URL(`../${relative}`, import.meta.url);
}
