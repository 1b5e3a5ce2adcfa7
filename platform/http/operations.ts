import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';

/** What `/readyz` and `/metrics` report of the process. */
export interface Operations {
  /** Whether this process can serve, which requires that its database answers. */
  readonly isReady: () => Promise<boolean>;
  /** Filled by every part of the process; read at /metrics. */
  readonly metrics: Registry;
}

/** Buckets for answer times, in seconds: 0.1 is noticeable, at 10 people give up. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

declare module 'fastify' {
  interface FastifyContextConfig {
    callName?: string;
  }
}

const isLoopback = (address: string | undefined): boolean =>
  address === '::1' || /^(::ffff:)?127\./u.test(address ?? '');

/**
 * Behind a proxy on the same machine every request comes from loopback, but then has a forwarding header or
 * another host name.
 */
const isLocal = ({ raw, headers }: FastifyRequest): boolean =>
  isLoopback(raw.socket.remoteAddress) &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined &&
  headers.via === undefined &&
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/u.test(headers.host ?? '');

/** Counts answers by call and status, and how long they took. */
function answerCounter(metrics: Registry): (call: string, status: number, seconds: number) => void {
  const answered = new Counter({
    name: 'http_answers_total',
    help: 'Answers by call and status.',
    labelNames: ['call', 'status'],
    registers: [metrics],
  });
  const seconds = new Histogram({
    name: 'http_answer_seconds',
    help: 'Time to answer.',
    labelNames: ['call'],
    buckets: BUCKETS,
    registers: [metrics],
  });
  // Used for each answer, so labels are looked up once: there are few calls and statuses.
  const counters = new Map<string, Counter.Internal>();
  const histograms = new Map<string, Histogram.Internal<'call'>>();
  return (call, status, took) => {
    const key = `${status} ${call}`;
    const counter = counters.get(key) ?? answered.labels(call, String(status));
    counters.set(key, counter);
    counter.inc();
    const histogram = histograms.get(call) ?? seconds.labels(call);
    histograms.set(call, histogram);
    histogram.observe(took);
  };
}

/** Mounts /healthz (the process runs), /readyz (it can serve) and, for this machine only, /metrics. */
export function mountOperations(app: FastifyInstance, { isReady, metrics }: Operations): void {
  const count = answerCounter(metrics);
  app.addHook('onResponse', (request, reply, done) => {
    count(request.routeOptions.config?.callName ?? 'other', reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send('ok'));
  app.get('/readyz', async (_request, reply) => {
    const ready = await isReady().catch(() => false);
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(ready ? 'ready' : 'not ready');
  });
  app.get('/metrics', async (request, reply) => {
    if (!isLocal(request)) return reply.callNotFound();
    return reply.header('content-type', metrics.contentType).send(await metrics.metrics());
  });
}
