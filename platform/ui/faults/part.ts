import { raiseFault } from './faults.ts';

/** A part that has not arrived by then is given up, and the page says so (spec 3 §9). */
const PART_TIMEOUT_MS = 120_000;

/**
 * `missing`: the site has no such file, as after a deployment. `error`: the file did not load, or failed when
 * it ran.
 */
export type PartErrorType = 'missing' | 'error' | 'time-out';

/** A part of the interface could not be loaded. */
export class PartFailed extends Error {
  readonly part: string;
  readonly type: PartErrorType;
  /** The code of its report. It is raised as a fault and may also cause a crash, but is reported once. */
  reported: Promise<string | null> | null = null;

  constructor(part: string, type: PartErrorType, cause?: unknown) {
    super(`Loading chunk ${part} failed`, { cause });
    this.name = 'ChunkLoadError';
    this.part = part;
    this.type = type;
  }
}

/** Browsers name the file that did not load in their messages, except Safari. */
const FILE = /https?:\/\/[^\s"']+|\/[^\s"']+\.js[^\s"']*/u;

/** Whether the site no longer has the file an error names. */
async function typeOf(cause: unknown): Promise<PartErrorType> {
  const [file] = FILE.exec(String(cause)) ?? [];
  if (file === undefined) return 'error';
  const answer = await fetch(file, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return answer?.status === 404 || answer?.status === 410 ? 'missing' : 'error';
}

/**
 * Loads a part of the interface by its name; the build sends every `import()` of a page through it
 * (tools/pages/parts.ts). Rejects with {@link PartFailed}, which is also raised as a fault.
 */
export async function loadPart<T>(part: string, load: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new PartFailed(part, 'time-out')), PART_TIMEOUT_MS);
  });
  try {
    return await Promise.race([load(), late]);
  } catch (cause) {
    const error = cause instanceof PartFailed ? cause : new PartFailed(part, await typeOf(cause), cause);
    raiseFault({ kind: 'part', error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Loads the file of a route with {@link loadPart}. The router would wait for ever for a route that cannot be
 * loaded, so it gets a route that fails with the same error as soon as it is used.
 */
export const loadRoute = (id: string, load: () => Promise<object>): Promise<object> =>
  loadPart(id, load).catch((error: unknown) => {
    const fail = (): never => {
      throw error;
    };
    return { default: fail, ErrorBoundary: fail, clientLoader: fail, clientAction: fail };
  });
