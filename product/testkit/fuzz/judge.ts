import type { AnyCall } from '#platform/contract/call.ts';

/** The part of an OpenAPI document that describes an operation's answers. */
export interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, {
      readonly content?: Readonly<
        Record<string, {
          readonly schema?: {
            readonly properties?: { readonly errorType?: { readonly enum?: readonly string[] } };
          };
        }>
      >;
    }>
  >;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A response, as it came over HTTP. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const PROBLEM = 'application/problem+json';
const PROBLEM_FIELDS = ['status', 'error', 'errorType', 'error_type', 'message', 'type', 'title', 'detail'];

/** The operations of a document by their call's name. */
export const operationsOf = ({ paths }: Document): ReadonlyMap<string, Operation> =>
  new Map(
    Object.values(paths).flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  );

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** What is wrong with a problem: its fields, its status, its code. */
function wrongProblem(operation: Operation, { status, body }: Answer): string | null {
  const problem = parsed(body) as Record<string, unknown> | undefined;
  if (problem === undefined || problem === null) return 'a problem that is no JSON';
  const missing = PROBLEM_FIELDS.filter((name) => name !== 'status' && typeof problem[name] !== 'string');
  if (missing.length > 0) return `a problem without ${missing.join(', ')}`;
  if (problem['status'] !== status) return `a problem of another status, ${String(problem['status'])}`;
  const codes = operation.responses[status]?.content?.[PROBLEM]?.schema?.properties?.errorType?.enum ?? [];
  return codes.includes(String(problem['errorType']))
    ? null
    : `${String(problem['errorType'])} is no declared refusal of status ${status}`;
}

/** How an answer breaks its contract in the OpenAPI document; null if it does not. */
export function broken(call: AnyCall, operation: Operation, answer: Answer): string | null {
  const { status, contentType, body } = answer;
  if (status >= 500) return `an answer of ${status}`;
  const response = operation.responses[status];
  if (!response) return `status ${status} is not declared`;
  const type = contentType.split(';')[0]?.trim() ?? '';
  if (type === PROBLEM) return wrongProblem(operation, answer);
  if (status === 204) return body === '' ? null : 'a body behind a 204';
  const declared = Object.keys(response.content ?? {}).map((text) => text.split(';')[0]?.trim() ?? '');
  if (body === '' && declared.length === 0) return null;
  if (!declared.includes(type)) {
    return `a body of the type ${type || 'nothing'}, not ${declared.join(' or ')}`;
  }
  if (call.media) return null;
  const shape = call.output.safeParse(parsed(body));
  return shape.success ? null : `a body that does not fit: ${shape.error.message.slice(0, 300)}`;
}
