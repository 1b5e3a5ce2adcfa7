import type { AnyCall } from '#platform/contract/call.ts';
import { API_BASE } from '#platform/contract/client.ts';
import type { AnyEvent } from '#platform/contract/event.ts';
import { hostRefusals, type Refusal } from '#platform/contract/refusal.ts';
import * as sockets from '#platform/contract/sockets/lobby.ts';
import { statusOf } from '#platform/http/pipeline/problem.ts';
import type { Shape } from '#platform/realtime/gateway/encodings.ts';
import { order } from '#product/order.ts';
import { declaredBy } from '#product/testkit/contracts.ts';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { examplesOf, framesText } from './protocol-frames.ts';

const FILE = fileURLToPath(new URL('../../docs/protocol.md', import.meta.url));
/** Longer shapes are cut in the tables; the whole stands in the OpenAPI document. */
const MAX_SHAPE_LENGTH = 2_000;

interface Part {
  readonly name: string;
  readonly purpose: string;
  readonly calls: readonly AnyCall[];
  readonly events: readonly AnyEvent[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isCall = (value: unknown): value is AnyCall => isRecord(value) && 'method' in value && 'path' in value;
const isEvent = (value: unknown): value is AnyEvent =>
  isRecord(value) && 'socket' in value && 'shape' in value;

function partOf(name: string, purpose: string, declared: Readonly<Record<string, unknown>>): Part {
  const values = Object.values(declared);
  return { name, purpose, calls: values.filter(isCall), events: values.filter(isEvent) };
}

async function readParts(): Promise<Part[]> {
  const parts = [partOf('sockets', 'Lobby and room sockets, the same for every slice.', sockets)];
  for (const [slice, purpose] of order) {
    parts.push(partOf(slice, purpose, await declaredBy(slice)));
  }
  return parts.filter(({ calls, events }) => calls.length + events.length > 0);
}

/** A JSON schema as people write types. */
function written(shape: Shape): string {
  if ('const' in shape) return JSON.stringify(shape.const);
  if (shape.enum) return shape.enum.map((entry) => JSON.stringify(entry)).join(' | ');
  if (shape.anyOf) return shape.anyOf.map(written).join(' | ');
  if (shape.type === 'array') {
    const item = written(shape.items ?? {});
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (shape.properties) {
    const fields = Object.entries(shape.properties).map(([name, field]) => {
      const key = /^\w+$/u.test(name) ? name : `'${name}'`;
      return `${key}${shape.required?.includes(name) ? '' : '?'}: ${written(field)}`;
    });
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (isRecord(shape.additionalProperties)) return `{ [name]: ${written(shape.additionalProperties)} }`;
  return [shape.type ?? 'any'].flat().join(' | ');
}

function shapeOf(schema: z.ZodType, io: 'input' | 'output'): string {
  const text = written(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape);
  return text.length > MAX_SHAPE_LENGTH ? `${text.slice(0, MAX_SHAPE_LENGTH)} …` : text;
}

const PROOF: Readonly<Record<AnyCall['credential'], string>> = {
  cookie: 'session cookie',
  bearer: 'bearer',
  signature: 'signature',
  none: 'nothing',
};

const refusalLine = (refusal: Refusal): string =>
  `  - \`${refusal.code}\` (${statusOf(refusal)}): ${refusal.description}`;

function callText(call: AnyCall): string {
  const { points, seconds, per } = call.limit;
  const proof = PROOF[call.credential] +
    (call.credential === 'cookie' && call.effects ? ' and `x-csrf-token`' : '');
  const lines = [
    `### \`${call.method} ${call.root ? '' : API_BASE}${call.path}\``,
    '',
    `**${call.summary}** (\`${call.name}\`). ${call.description}`,
    '',
    `- Who: ${call.access}, proved by ${proof}`,
    `- Limit: ${points} in ${seconds} s per ${per}; body at most ${call.bodyLimitBytes} bytes`,
    ...(call.idempotency ? [`- \`Idempotency-Key\`: ${call.idempotency}`] : []),
    call.media
      ? `- Takes \`${call.media.accepts}\`, ${call.media.streams ? 'streams' : 'answers'} `
        + `\`${call.media.answers}\``
      : call.upload
      ? '- Takes a form (`multipart/form-data`) with one file in the field `file`'
      : `- Takes \`${shapeOf(call.input, 'input')}\``,
    ...(call.media ? [] : [`- Answers \`${shapeOf(call.output, 'output')}\``]),
    ...(call.refusals.length > 0 ? ['- Refuses', ...call.refusals.map(refusalLine)] : []),
    ...(call.requirements.length > 0 ? [`- Requirements: ${call.requirements.join(', ')}`] : []),
  ];
  return lines.join('\n');
}

const DIRECTION: Readonly<Record<AnyEvent['from'], string>> = {
  server: 'server → client',
  client: 'client → server',
  both: 'both ways',
};

function eventText(event: AnyEvent): string {
  const direction = DIRECTION[event.from];
  const socket = event.socket === 'both' ? 'lobby and room' : event.socket;
  const lines = [
    `### \`${event.name}\` (${direction})`,
    '',
    event.description,
    '',
    `- Socket: ${socket}${event.access ? `; who: ${event.access}` : ''}`,
    `- Payload \`${shapeOf(event.shape, 'output')}\``,
    ...examplesOf(event),
    ...(event.requirements.length > 0 ? [`- Requirements: ${event.requirements.join(', ')}`] : []),
  ];
  return lines.join('\n');
}

const INTRODUCTION = `# Protocol

Generated from the contracts by \`npm run generate\`; do not edit. The same as OpenAPI 3.1 stands at
\`${API_BASE}/openapi.json\`.

- Input is path, query (GET, DELETE) or a JSON body (POST, PATCH). Unknown fields are left out; wrong ones are
  refused.
- Calls proved by the session cookie that change something need the header \`x-csrf-token\` (the field
  \`csrf\` of \`GET ${API_BASE}/site_config\`) and a request of the same origin: \`Sec-Fetch-Site\` or
  \`Origin\` say so.
- A refusal is \`application/problem+json\` (RFC 9457) with \`status\`, \`error\`, \`errorType\`,
  \`error_type\`, \`message\`, \`type\`, \`title\`, \`detail\`, and what the refusal adds.
  An error is a 500 with a \`reference\`.
- Sockets speak in frames of two encodings; what is the same for every event stands first.`;

function documentOf(parts: readonly Part[]): string {
  const everyCall = [
    '## Every call can refuse',
    '',
    ...Object.values(hostRefusals).map((refusal) => refusalLine(refusal).trim()),
  ];
  const sections = parts.map(({ name, purpose, calls, events }) =>
    [`## ${name}`, '', purpose, '', [...calls.map(callText), ...events.map(eventText)].join('\n\n')].join(
      '\n',
    )
  );
  return `${[INTRODUCTION, framesText(), everyCall.join('\n'), ...sections].join('\n\n')}\n`;
}

const made = documentOf(await readParts());
// It is built, not stored: with `--check` it need only come into being.
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
