import { BILLER_NAMES, type BillerName } from '#platform/contract/payment.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { BillerSettings } from '../billers.ts';
import { btcpaySimulator } from './billers/btcpay.ts';
import { cashtocodeSimulator } from './billers/cashtocode.ts';
import { ccbillSimulator } from './billers/ccbill.ts';
import { nowpaymentsSimulator } from './billers/nowpayments.ts';
import { rocketgateSimulator } from './billers/rocketgate.ts';
import { segpaySimulator } from './billers/segpay.ts';
import { act } from './checkout/counter.ts';
import { cardsPage, page } from './checkout/pages.ts';
import type { SimulatorEvent } from './checkout/till.ts';
import { FAULTS, type Fault } from './faults.ts';
import { json, text, type Simulator, type SimulatorOutside } from './simulator.ts';

export type Processors = ReadonlyMap<BillerName, Simulator>;

/**
 * All simulated processors, with the accounts for `billersFor`; `pages` is their address for browsers.
 * `onEvent` is called with every event of each.
 */
export function processorsAt(
  accounts: Required<BillerSettings>,
  pages: string,
  clock: Clock,
  onEvent: (simulator: Simulator, event: SimulatorEvent) => void,
): Processors {
  const all = new Map<BillerName, Simulator>();
  const outside = (name: BillerName): SimulatorOutside => ({
    clock,
    notify: (event) => {
      const simulator = all.get(name);
      if (simulator) onEvent(simulator, event);
    },
  });
  const simulators = [
    ccbillSimulator(accounts.ccbill, outside('ccbill')),
    segpaySimulator({ ...accounts.segpay, browser: `${pages}/segpay` }, outside('segpay')),
    rocketgateSimulator(accounts.rocketgate, outside('rocketgate')),
    nowpaymentsSimulator({ ...accounts.nowpayments, pages: `${pages}/nowpayments` }, outside('nowpayments')),
    btcpaySimulator({ ...accounts.btcpay, pages: `${pages}/btcpay` }, outside('btcpay')),
    cashtocodeSimulator({ ...accounts.cashtocode, pages: `${pages}/cashtocode` }, outside('cashtocode')),
  ];
  for (const simulator of simulators) all.set(simulator.name, simulator);
  return all;
}

/**
 * Answers a request to `/{name}/…`, `/control/{name}/…` or `/test-cards`; throws `LostAnswer` for a lost
 * one.
 */
export async function answer(processors: Processors, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/') return welcome(processors);
  if (pathname === '/test-cards') return cardsPage();
  const [, first = '', second = '', third = ''] = pathname.split('/');
  if (first === 'control') return control(processors.get(second as BillerName), third, request);
  const simulator = processors.get(first as BillerName);
  if (!simulator) return text('not found', 404);
  const path = pathname.slice(first.length + 1);
  if (path === '/operator' && request.method === 'POST' && isFromElsewhere(request)) {
    return text('from another page', 403);
  }
  if (simulator.till.script.take('door') !== null) return text('unavailable', 503);
  return simulator.handle(path, request);
}

/** Refuses forms of pages from other origins. */
const isFromElsewhere = (request: Request): boolean =>
  !['same-origin', 'none', null].includes(request.headers.get('sec-fetch-site'));

/** `POST /control/{name}/faults` and `/act` for scripts, as forms: see `act` of the counter. */
async function control(
  simulator: Simulator | undefined,
  what: string,
  request: Request,
): Promise<Response> {
  if (!simulator || request.method !== 'POST') return text('not found', 404);
  if (isFromElsewhere(request)) return text('from another page', 403);
  const form = new URLSearchParams(await request.text());
  const { till } = simulator;
  if (what === 'act') return act(till, form) ? json({ done: true }) : json({ done: false }, 409);
  if (what !== 'faults') return text('not found', 404);
  const fault = form.get('fault') as Fault;
  const times = Number(form.get('times') ?? '1');
  const isArmed = FAULTS.includes(fault) && Number.isInteger(times) && times > 0
    && till.script.arm(fault, times);
  return isArmed ? json({ armed: till.script.armed }) : json({ faults: FAULTS }, 400);
}

function welcome(processors: Processors): Response {
  const items = BILLER_NAMES.filter((name) => processors.has(name)).map((name) =>
    `<li><a href="/${name}/operator">Payments of ${name}</a></li>`
  ).join('');
  return page(
    'Simulated payment processors',
    `<ul>${items}<li><a href="/test-cards">Test cards</a></li></ul>`,
  );
}
