import { uuidV4 } from '#platform/data/ids.ts';
import { Bounded } from '#platform/payments/simulators/bounded.ts';
import type { YotiAccount } from '../yoti.ts';
import { checkPage } from './page.ts';
import {
  leftWith,
  MAX_SESSIONS,
  missing,
  seeOther,
  type SimulatedProvider,
  type SimulatorState,
} from './simulator.ts';

interface Asked {
  readonly type: string;
  readonly ttl: number;
  readonly reference_id: string;
  readonly callback: { readonly url: string };
  readonly cancel_url: string;
  readonly notification_url?: string;
  readonly [method: string]: unknown;
}
interface Session {
  readonly id: string;
  readonly asked: Asked;
  readonly method: string;
  readonly threshold: number;
  readonly expiresAt: Date;
  status: 'PENDING' | 'COMPLETE' | 'FAIL' | 'CANCELLED';
  sequence: number;
}

const METHODS = ['doc_scan', 'digital_id', 'age_estimation', 'credit_card', 'mobile'];
const settingsOf = (asked: Asked, name: string) =>
  asked[name] as { readonly allowed?: boolean; readonly threshold?: number } | undefined;

/** Yoti: `/api/v1/sessions`, results, the page, and unsigned reports. */
export function yotiSimulator({ apiKey, sdkId }: YotiAccount, state: SimulatorState): SimulatedProvider {
  const sessions = new Bounded<Session>(MAX_SESSIONS);
  const isOurs = ({ headers }: Request): boolean =>
    headers.get('authorization') === `Bearer ${apiKey}` && headers.get('yoti-sdk-id') === sdkId;
  const opened = (request: Request): Session | undefined =>
    sessions.get(new URL(request.url).searchParams.get('sessionId') ?? '');

  const create = async (request: Request): Promise<Response> => {
    if (!isOurs(request)) return Response.json({ code: 'UNAUTHORIZED' }, { status: 401 });
    const asked = await request.json() as Asked;
    const method = METHODS.find((name) => settingsOf(asked, name)?.allowed === true);
    if (method === undefined) return Response.json({ code: 'NO_METHOD' }, { status: 400 });
    const session: Session = {
      id: uuidV4(),
      asked,
      method,
      threshold: settingsOf(asked, method)?.threshold ?? 0,
      expiresAt: new Date(state.clock.now().getTime() + asked.ttl * 1_000),
      status: 'PENDING',
      sequence: 0,
    };
    sessions.set(session.id, session);
    return Response.json({ id: session.id, status: session.status, expires_at: session.expiresAt });
  };

  const page = async (request: Request): Promise<Response> => {
    const session = opened(request);
    if (!session || session.expiresAt <= state.clock.now()) return missing();
    if (request.method !== 'POST') return checkPage('Yoti', session.method, new URL(request.url));
    const { age } = await leftWith(request);
    if (session.status === 'PENDING') {
      session.status = age === null ? 'CANCELLED' : age >= session.threshold ? 'COMPLETE' : 'FAIL';
      const report = reportOf(session);
      if (report) state.notify(report.url, report.body);
    }
    const back = new URL(age === null ? session.asked.cancel_url : session.asked.callback.url);
    back.searchParams.set('sessionId', session.id);
    return seeOther(back.href);
  };

  return {
    handle: async (path, request) => {
      if (path === '/api/v1/sessions' && request.method === 'POST') return create(request);
      const id = /^\/api\/v1\/sessions\/([^/]+)\/result$/u.exec(path)?.[1];
      if (id === undefined) return path === '/' ? page(request) : missing();
      if (!isOurs(request)) return Response.json({ code: 'UNAUTHORIZED' }, { status: 401 });
      const session = sessions.get(decodeURIComponent(id));
      return session ? resultOf(session, state) : missing();
    },
    reportOf: (url) => {
      const session = sessions.get(new URL(url).searchParams.get('sessionId') ?? '');
      return session ? reportOf(session) : null;
    },
  };
}

function resultOf({ id, asked, method, threshold, expiresAt, status }: Session, state: SimulatorState) {
  const fault = state.fault();
  if (fault === 'garbled') return new Response('{"status":"COMPL', { status: 200 });
  const isOver = status === 'PENDING' && expiresAt <= state.clock.now();
  const shown = fault === 'other check' ? METHODS.find((name) => name !== method) ?? '' : method;
  const other = fault === 'other session';
  return Response.json({
    sdk_id: 'simulated',
    ...asked,
    [method]: {
      ...settingsOf(asked, method),
      ...(fault === 'lower age' ? { threshold: threshold - 5 } : {}),
    },
    type: fault === 'under' ? 'UNDER' : asked.type,
    id: other ? uuidV4() : id,
    reference_id: other ? uuidV4() : asked.reference_id,
    // An age is in every answer of Yoti: the site must not keep it.
    age: 18,
    status: isOver ? 'EXPIRED' : status,
    method: status === 'PENDING' ? null : shown.toUpperCase(),
    evidence_id: uuidV4(),
    expires_at: expiresAt.toISOString(),
  });
}

/** What Yoti posts after each attempt; its signature cannot be checked without Yoti. */
function reportOf(session: Session): { readonly url: string; readonly body: string } | null {
  const { id, asked, method, status } = session;
  if (asked.notification_url === undefined) return null;
  session.sequence += 1;
  return {
    url: asked.notification_url,
    body: JSON.stringify({
      id,
      method: method.toUpperCase(),
      result: status,
      state: status,
      age: 18,
      session_key: id,
      reference_id: asked.reference_id,
      check_type: asked.type,
      sequence_number: session.sequence,
      signature: 'simulated',
    }),
  };
}
