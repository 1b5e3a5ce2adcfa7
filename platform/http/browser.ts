import {
  CallFailed,
  PAGE_LANGUAGE,
  requestOf,
  SERVER_TIME,
  type CallFunction,
  type Problem,
} from '#platform/contract/client.ts';
import type { hostRefusals } from '#platform/contract/refusal.ts';

/** A call without a response by then fails; the page says so, and the person can retry. */
const CALL_TIMEOUT_MS = 20_000;
/** A file of 12 MB takes this long at 1 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 120_000;

export interface BrowserClient {
  readonly call: CallFunction;
  /** Forgets the CSRF token: log-in and log-out change it. */
  readonly forgetCsrf: () => void;
}

/** The only host refusal that the page handles; its text and the other refusals stay on the server. */
const CSRF_REFUSED: (typeof hostRefusals)['csrf']['code'] = 'csrf';
/** Code of the problem a call fails with when the server cannot be reached. */
export const UNREACHABLE = 'unreachable';

/**
 * The typed client of the page: every call sends credentials and `x-csrf-token`, and a refused token is
 * fetched again once. Throws {@link CallFailed}, with {@link UNREACHABLE} when there is no answer.
 * @param fetchCsrf asks the site for the session's token
 * @param base the path below which the site answers calls
 * @param language language of the page, in which calls are answered whatever the browser prefers
 * @param begin called when a request is sent; the function it returns gets the server's time of the answer
 */
export function browserClient(
  fetchCsrf: () => Promise<string>,
  base: string,
  language: () => string,
  begin: () => (serverTime: string | null) => void = () => () => undefined,
): BrowserClient {
  let asked: Promise<string> | null = null;
  const csrf = () => {
    asked ??= fetchCsrf().catch((failure: unknown) => {
      asked = null;
      throw failure;
    });
    return asked;
  };
  const attempt: CallFunction = async (constant, input, options) => {
    const shape = requestOf(constant, input as Record<string, unknown>, base);
    const token = await reached(csrf());
    const headers: Record<string, string> = {
      accept: 'application/json',
      'x-csrf-token': token,
      [PAGE_LANGUAGE]: language(),
    };
    if (shape.body !== null) headers['content-type'] = 'application/json';
    if (options?.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey;
    const measured = begin();
    const response = await reached(fetch(shape.path, {
      method: constant.method,
      headers,
      credentials: 'same-origin',
      body: (options?.form as FormData | undefined) ?? shape.body,
      keepalive: options?.outlivesPage ?? false,
      signal: endedBy(
        options?.signal as AbortSignal | undefined,
        options?.form ? UPLOAD_TIMEOUT_MS : CALL_TIMEOUT_MS,
      ),
    }));
    measured(response.headers.get(SERVER_TIME));
    if (response.ok) return await response.json() as never;
    throw new CallFailed(await problemIn(response));
  };
  const call: CallFunction = async (constant, input, options) => {
    try {
      return await attempt(constant, input, options);
    } catch (failure) {
      if (!(failure instanceof CallFailed) || failure.problem.errorType !== CSRF_REFUSED) throw failure;
      asked = null;
      return attempt(constant, input, options);
    }
  };
  return {
    call,
    forgetCsrf: () => {
      asked = null;
    },
  };
}

/**
 * Aborts after the timeout, or with `signal`; a browser that cannot combine the two uses only the timeout.
 */
function endedBy(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal && 'any' in AbortSignal ? AbortSignal.any([timeout, signal]) : timeout;
}

/** Turns a missing answer into a problem like any other. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (failure) {
    if (failure instanceof CallFailed) throw failure;
    throw new CallFailed(emptyProblem(0, UNREACHABLE));
  }
}

async function problemIn(response: Response): Promise<Problem> {
  try {
    return await response.json() as Problem;
  } catch {
    return emptyProblem(response.status, 'fault');
  }
}

const emptyProblem = (status: number, code: string): Problem => ({
  status,
  error: code,
  errorType: code,
  error_type: code,
  message: '',
  detail: '',
  type: 'about:blank',
  title: code,
});
