import { isIP } from 'node:net';

/** A value of a record in a database of places. */
export type RecordValue = string | number | boolean | readonly RecordValue[] | {
  readonly [key: string]: RecordValue;
};

/** A record by the networks it is for, such as `203.0.113.0/24` or `2001:db8::/32`. */
export type PlaceRecords = Readonly<Record<string, RecordValue>>;

// Types of the MaxMind DB format 2.0, section "Data Field Format".
const UTF8 = 2;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
/** The first type that stands in a byte of its own, less this. */
const EXTENDED = 7;
const NODE_BYTES = 6;
const IPV4_DEPTH = 96;

function control(type: number, size: number): Buffer {
  if (size >= 29 + 256) throw new Error('the writer makes short values only');
  const low = Math.min(size, 29);
  const first = type > EXTENDED ? [low, type - EXTENDED] : [(type << 5) | low];
  return Buffer.from(size >= 29 ? [...first, size - 29] : first);
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

function encode(value: RecordValue): Buffer {
  if (typeof value === 'boolean') return control(BOOLEAN, value ? 1 : 0);
  if (typeof value === 'number') {
    const bytes = unsigned(value);
    return Buffer.concat([control(value > 0xffff ? UINT32 : UINT16, bytes.length), bytes]);
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'utf8');
    return Buffer.concat([control(UTF8, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)]);
  const fields = Object.entries(value as Readonly<Record<string, RecordValue>>);
  return Buffer.concat([
    control(MAP, fields.length),
    ...fields.flatMap(([key, one]) => [encode(key), encode(one)]),
  ]);
}

/** The bits of a network in a tree of IPv6; IPv4 stands in `::/96`. */
function bitsOf(network: string): readonly number[] {
  const [address = '', length = ''] = network.split('/');
  const isV4 = isIP(address) === 4;
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const bits = isV4
    ? address.split('.').map((part) => Number(part).toString(2).padStart(8, '0')).join('')
    : [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)]
      .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
  const depth = Number(length) + (isV4 ? IPV4_DEPTH : 0);
  return `${isV4 ? '0'.repeat(IPV4_DEPTH) : ''}${bits}`.slice(0, depth).split('').map(Number);
}

/** A node of the search tree: its two records are nodes, places in the data, or nothing. */
type Node = [Node | number | null, Node | number | null];

/** Writes a database of places in the MaxMind DB format 2.0: tree of 24-bit records, data, metadata. */
export function placeDatabase(records: PlaceRecords): Buffer {
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let used = 0;
  for (const [network, value] of Object.entries(records)) {
    const bits = bitsOf(network);
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const below = node[bit as 0 | 1];
      if (typeof below === 'number') throw new Error(`${network} is within another network`);
      const next: Node = below ?? [null, null];
      node[bit as 0 | 1] = next;
      node = next;
    }
    node[(bits.at(-1) ?? 0) as 0 | 1] = used;
    const bytes = encode(value);
    data.push(bytes);
    used += bytes.length;
  }
  const nodes: Node[] = [];
  const numbers = new Map<Node, number>();
  const number = (node: Node): void => {
    numbers.set(node, nodes.length);
    nodes.push(node);
    for (const below of node) if (below !== null && typeof below !== 'number') number(below);
  };
  number(root);
  const recordOf = (below: Node[0]): number => {
    if (below === null) return nodes.length;
    return typeof below === 'number' ? nodes.length + 16 + below : numbers.get(below) ?? 0;
  };
  const tree = Buffer.alloc(nodes.length * NODE_BYTES);
  nodes.forEach((node, at) => {
    tree.writeUIntBE(recordOf(node[0]), at * NODE_BYTES, 3);
    tree.writeUIntBE(recordOf(node[1]), at * NODE_BYTES + 3, 3);
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_768_000_000,
    database_type: 'Candela-Test',
    ip_version: 6,
    node_count: nodes.length,
    record_size: 24,
  });
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}
