import { randomId } from '#platform/data/ids.ts';
import { Bounded } from '#platform/payments/simulators/bounded.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { IncodeAccount } from '../incode.ts';
import { checkPage } from './page.ts';
import {
  leftWith,
  MAX_SESSIONS,
  missing,
  seeOther,
  type SimulatedProvider,
  type SimulatorState,
} from './simulator.ts';

interface Session {
  readonly token: string;
  readonly interviewId: string;
  readonly check: string;
  readonly provesAge: number;
  readonly returnUrl: string;
  readonly expiresAt: Date;
  status: 'ID_VALIDATION_FINISHED' | 'ONBOARDING_FINISHED' | 'CANCELLED';
  age: number;
}

const json = (value: unknown, status = 200): Response => Response.json(value, { status });

/** Incode: `/omni/start`, the page's address, the status and the score of a session by its token. */
export function incodeSimulator(
  { apiKey, flows }: IncodeAccount,
  origin: string,
  state: SimulatorState,
): SimulatedProvider {
  const sessions = new Bounded<Session>(MAX_SESSIONS);
  const pages = new Bounded<Session>(MAX_SESSIONS);

  const start = async (request: Request): Promise<Response> => {
    if (request.headers.get('x-api-key') !== apiKey) return json({ error: 'Unauthorized' }, 401);
    const { configurationId, redirectionUrl } = await request.json() as Record<string, string>;
    const [check, flow] = Object.entries(flows).find(([, one]) => one.id === configurationId) ?? [];
    if (check === undefined || !flow) return json({ error: 'no such flow' }, 400);
    const session: Session = {
      token: randomId(),
      interviewId: randomId(),
      check,
      provesAge: flow.provesAge,
      returnUrl: redirectionUrl ?? '',
      expiresAt: new Date(state.clock.now().getTime() + HOUR_MS),
      status: 'ID_VALIDATION_FINISHED',
      age: 0,
    };
    sessions.set(session.token, session);
    pages.set(session.interviewId, session);
    return json({ interviewId: session.interviewId, token: session.token, interviewCode: '000000' });
  };

  const page = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const session = pages.get(url.searchParams.get('interviewId') ?? '');
    if (!session || session.expiresAt <= state.clock.now()) return missing();
    if (request.method !== 'POST') return checkPage('Incode', session.check, url);
    const { age } = await leftWith(request);
    if (session.status === 'ID_VALIDATION_FINISHED') {
      session.status = age === null ? 'CANCELLED' : 'ONBOARDING_FINISHED';
      session.age = age ?? 0;
    }
    return seeOther(session.returnUrl);
  };

  return {
    handle: async (path, request) => {
      if (path === '/omni/start' && request.method === 'POST') return start(request);
      if (path === '/flow') return page(request);
      const session = sessions.get(request.headers.get('x-incode-hardware-id') ?? '');
      if (!session) return missing();
      if (path === '/0/omni/onboarding-url') {
        return json({ success: true, url: `${origin}/incode/flow?interviewId=${session.interviewId}` });
      }
      return path === '/0/omni/get/onboarding/status'
        ? statusOf(session, state)
        : path === '/0/omni/get/score'
        ? scoreOf(session, state)
        : missing();
    },
    reportOf: () => null,
  };
}

function statusOf({ status, expiresAt }: Session, state: SimulatorState): Response {
  const fault = state.fault();
  if (fault === 'garbled') return new Response('{"onboardingStat', { status: 200 });
  // A token of another session has its own state.
  if (fault === 'other session') return json({ onboardingStatus: 'ID_VALIDATION_FINISHED' });
  const isOver = status === 'ID_VALIDATION_FINISHED' && expiresAt <= state.clock.now();
  return json({ onboardingStatus: isOver ? 'EXPIRED' : status });
}

function scoreOf({ age, provesAge }: Session, state: SimulatorState): Response {
  const fault = state.fault();
  const isOld = age >= provesAge && fault === null;
  return json({
    overall: { value: isOld ? '97.0' : '12.0', status: isOld ? 'OK' : 'FAIL' },
    ageEstimate: age,
  });
}
