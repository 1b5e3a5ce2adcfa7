import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { CallFailed } from '#platform/contract/client.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import { LOBBY_PATH, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { memoryBlobs, type Blobs } from '#platform/data/blobs.ts';
import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import type { Tx } from '#platform/data/data.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { openTestData, type TestData } from '#platform/data/testing.ts';
import type { Gateway } from '#platform/realtime/gateway/gateway-options.ts';
import { emailCodeRequired, getCurrentUser, login } from '#product/accounts/contract.ts';
import type { Person } from '#product/accounts/server.ts';
import { assemble, ROLES, type Assembly } from '#product/assembly.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { order } from '#product/order.ts';
import { decideHeld, getChatRules, moderate, setChatRules } from '#product/room-moderation/contract.ts';
import type { ModerationAction } from '#product/room-moderation/rules.ts';
import { chatMessage, getRoom, sayInChat, userCount } from '#product/rooms/contract.ts';
import { chooseLocale, DEFAULT_SCOPE } from '#product/site/rules.ts';
import { sendTip } from '#product/tips/contract.ts';
import type { Services } from '#product/wiring.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { TEST_OFFER, TestEngine } from './media/engine.ts';
import { TestOutputs } from './media/outputs.ts';
import { TestRtmp } from './media/rtmp.ts';
import { of, operation, operatorLeg } from './payments/wallet.ts';
import { entryOf, mountEntering } from './people/entering.ts';
import { clearsBySeed } from './people/identity.ts';
import type { ModerationOptions, PerformerOptions, ViewerOptions } from './people/options.ts';
import { TestSocket } from './rooms/room-socket.ts';
import { SECRET, SETTINGS, VERSION, type SiteOptions } from './site-options.ts';
import { siteTexts } from './site-texts.ts';
import { freesUsername } from './store/earlier-try.ts';
import { Visitor, type VisitorOptions } from './visitor.ts';

/** Longer than one message takes on a busy machine. */
const ANSWER_MS = 20_000;
const PASSWORD = 'correct horse battery';
/** The price of the tokens people have at the start, in US cents. */
const CENTS_PER_TOKEN = 10;
/** Makes everybody thirty at the start of the virtual clock. */
const BIRTH_DATE = '1996-01-15';

/** A logged-in browser. */
export class Member extends Visitor {
  readonly site: TestSite;
  readonly person: Person;

  constructor(site: TestSite, person: Person, options: VisitorOptions & { readonly address: string }) {
    super(site.http, options);
    this.site = site;
    this.person = person;
  }

  get id(): number {
    return this.person.id;
  }

  get username(): string {
    return this.person.username;
  }

  /** Logs in over HTTP in a browser that has opened the site; on a new network with an emailed code. */
  async logsIn(): Promise<void> {
    const named = { login: this.username, password: PASSWORD };
    await this.call(login, named).catch(async (error: unknown) => {
      if (!(error instanceof CallFailed) || error.problem.errorType !== emailCodeRequired.code) throw error;
      const [code] = await this.site.loginCodesOf(this.person.email);
      await this.call(login, { ...named, code });
    });
    // Log-in makes a new session with a token of its own.
    await this.opens();
  }

  /** Logs in for the first time, in a browser that has opened the site. */
  async enters(): Promise<void> {
    this.csrf = (await this.request({ method: 'POST', url: entryOf(this.id) })).body;
  }

  /** Sends a tip; the same key sends the same tip again. */
  async tips(
    performer: { readonly username: string },
    amount: number,
    idempotencyKey: string = uuidV4(),
  ): Promise<OutputOf<typeof sendTip>> {
    return this.call(sendTip, { username: performer.username, amount }, { idempotencyKey });
  }

  /** Bans, silences, appoints … somebody, in the member's own room by default. */
  async moderates(
    action: ModerationAction,
    subject: { readonly username: string },
    { room = this, ...more }: ModerationOptions = {},
  ): Promise<OutputOf<typeof moderate>> {
    return this.call(moderate, { username: room.username, subject: subject.username, action, ...more });
  }

  /** Changes the chat rules of the member's own room. */
  async changesChatRules(changes: Omit<InputOf<typeof setChatRules>, 'username'>): Promise<void> {
    await this.call(setChatRules, { username: this.username, ...changes });
  }

  /** Shows a held message in the member's own room. */
  async showsHeld(id: number): Promise<void> {
    await this.call(decideHeld, { username: this.username, id, decision: 'show' });
  }

  /** Enters a performer's room: a real socket that has joined. */
  async joins(performer: { readonly username: string }): Promise<TestSocket> {
    return this.site.socketOf(this, performer.username);
  }

  /**
   * Publishes through WHIP with a fresh stream key; media arrives at once.
   * @returns the address of the publish session
   */
  async goesLive(): Promise<string> {
    const { broadcast } = this.site.services;
    const key = await this.site.tx((tx) => broadcast.makeStreamKey(tx, this.id));
    const published = await this.request({
      method: 'POST',
      url: '/whip',
      payload: TEST_OFFER,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
    });
    if (published.statusCode !== 201) throw new Error(`${this.username} cannot publish: ${published.body}`);
    this.site.engine.arrive();
    await this.site.settle();
    return String(published.headers.location);
  }
}

/** A whole site in one process: real SQL, real HTTP and sockets, a virtual clock, simulated media. */
export class TestSite {
  readonly scope: Scope = DEFAULT_SCOPE;
  readonly clock: VirtualClock;
  readonly data: TestData;
  readonly engine: TestEngine;
  readonly outputs: TestOutputs;
  readonly rtmp: TestRtmp;
  readonly blobs: Blobs;
  /** Where recordings are written. */
  readonly folder: string;
  /** Lines the site has logged. */
  readonly log: readonly string[];
  readonly #assembly: Assembly;
  readonly #sockets = new Set<TestSocket>();
  #people = 0;
  #visitors = 0;
  #address: string | null = null;
  #passwordHash: string | null = null;

  constructor(parts: {
    clock: VirtualClock;
    data: TestData;
    engine: TestEngine;
    outputs: TestOutputs;
    rtmp: TestRtmp;
    blobs: Blobs;
    folder: string;
    assembly: Assembly;
    log: readonly string[];
  }) {
    this.clock = parts.clock;
    this.data = parts.data;
    this.engine = parts.engine;
    this.outputs = parts.outputs;
    this.rtmp = parts.rtmp;
    this.blobs = parts.blobs;
    this.folder = parts.folder;
    this.log = parts.log;
    this.#assembly = parts.assembly;
  }

  get services(): Services {
    return this.#assembly.services;
  }

  /** For slices that a test builds besides those of the site. */
  get extensions(): Assembly['extensions'] {
    return this.#assembly.extensions;
  }

  get http(): Assembly['http'] {
    return this.#assembly.http;
  }

  get gateway(): Gateway {
    const { gateway } = this.#assembly;
    if (!gateway) throw new Error('this site has no sockets of its own');
    return gateway;
  }

  /** Runs the slices of a site that was created with `starts: false`. */
  start(): Promise<void> {
    return this.#assembly.start();
  }

  /** One unit of work of the default operator. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.data.tx(this.scope, work);
  }

  /** Delivers every fact, event and due deadline, and what they lead to. */
  async settle(): Promise<void> {
    // Delivery leads to reports of the media engine, and those to more facts.
    for (let round = 0; round < 2; round += 1) {
      await this.services.broadcast.settled();
      await this.services.recordings.settled();
      await this.services.billing.settled();
      await this.services.shows.settled();
      await this.data.settle();
      await this.services.browse.settled();
    }
  }

  /** Says something in a room, and delivers until the socket receives it, as a message or as an error. */
  async says(socket: TestSocket, message: string): Promise<PayloadOf<typeof chatMessage>> {
    const before = socket.received(chatMessage).length;
    socket.send(sayInChat, { message });
    const end = systemClock.now().getTime() + ANSWER_MS;
    while (systemClock.now().getTime() < end) {
      await this.settle();
      const received = socket.received(chatMessage).slice(before).find((item) => item.message === message);
      if (received) return received;
    }
    throw new Error(`${message} was not answered`);
  }

  /** Advances the clock and delivers what is due. */
  async passes(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  /**
   * A browser that has opened the site; `opened: false` gives one that hasn't requested anything yet.
   */
  async visitor(options: VisitorOptions & { opened?: boolean; ofAge?: boolean } = {}): Promise<Visitor> {
    const visitor = new Visitor(this.http, { ...this.#newcomer(), ...options });
    if (options.opened !== false) await visitor.opens();
    if (options.ofAge) await visitor.call(declareAge, { of_age: true });
    return visitor;
  }

  /** A logged-in member, of age in the demo region. */
  async viewer(options: ViewerOptions = {}): Promise<Member> {
    return this.#member('user', 'viewer', options);
  }

  /** A logged-in performer: cleared by default, live if requested. */
  async performer({ live = false, cleared = true, ...options }: PerformerOptions = {}): Promise<Member> {
    const performer = await this.#member('model', 'performer', options);
    await this.settle();
    if (cleared) {
      await this.tx((tx) => clearsBySeed(this.services, tx, performer.id));
    }
    if (live) await performer.goesLive();
    return performer;
  }

  /** Somebody submits papers, which wait for a decision. */
  async handsInPapers({ id }: Pick<Member, 'id'>): Promise<void> {
    await this.tx((tx) => this.services.compliance.enrol(tx, id));
  }

  /** Accepts the submitted papers of somebody. */
  async clearsPapers({ id }: Pick<Member, 'id'>): Promise<void> {
    await this.tx((tx) => clearsBySeed(this.services, tx, id));
  }

  /** A logged-in administrator. */
  async admin(options: ViewerOptions = {}): Promise<Member> {
    return this.#member('user', 'admin', { roles: ['admin'], ...options });
  }

  /** A second browser of the same person, logged in. */
  async anotherTabOf({ person }: Member, options: VisitorOptions = {}): Promise<Member> {
    return this.#logsIn(person, options);
  }

  /** A logged-in browser of somebody who is in the database already. */
  async memberOf(username: string, options: VisitorOptions = {}): Promise<Member> {
    const person = await this.tx((tx) => this.services.accounts.findByUsername(tx, username));
    if (!person) throw new Error(`nobody is called ${username}`);
    return this.#logsIn(person, options);
  }

  async #member(type: 'user' | 'model', prefix: string, options: PerformerOptions): Promise<Member> {
    const { accounts } = this.services;
    this.#people += 1;
    const username = options.username ?? `${prefix}${this.#people}`;
    if (options.username !== undefined) await this.tx((tx) => freesUsername(tx, username));
    this.#passwordHash ??= await accounts.hashPassword(PASSWORD);
    const person = await accounts.create(this.scope, {
      username,
      email: `${username}@people.example`,
      password: PASSWORD,
      passwordHash: this.#passwordHash,
      birthDate: BIRTH_DATE,
      type,
      gender: type === 'model' ? (options.gender ?? 'f') : null,
      roles: options.roles ?? [],
      // As a sign-up records it.
      ...(options.language === undefined
        ? {}
        : { settings: { locale: chooseLocale(null, options.language) } }),
    });
    if (options.tokens) {
      const legs = [
        operatorLeg('float', -options.tokens),
        of(person.id, 'tokens', options.tokens, {
          promotional: false,
          backingCents: options.tokens * CENTS_PER_TOKEN,
        }),
      ];
      await this.tx((tx) =>
        this.services.ledger.post(tx, [operation('grant', legs, { memo: { reason: 'testkit' } })])
      );
    }
    const member = await this.#opens(person, options);
    await member.enters();
    return member;
  }

  async #opens(person: Person, options: ViewerOptions): Promise<Member> {
    const member = new Member(this, person, { ...this.#newcomer(), ...options });
    await member.opens();
    if (options.ofAge !== false && options.region === undefined) {
      await member.call(declareAge, { of_age: true });
    }
    return member;
  }

  async #logsIn(person: Person, options: ViewerOptions): Promise<Member> {
    const member = await this.#opens(person, options);
    await member.logsIn();
    return member;
  }

  /** Loopback addresses, one per browser: no two share a rate limit, and all are in the demo region. */
  #newcomer(): { readonly address: string; readonly now: Date } {
    this.#visitors += 1;
    const address = `127.1.${Math.floor(this.#visitors / 250)}.${(this.#visitors % 250) + 1}`;
    return { address, now: this.clock.now() };
  }

  /** The emailed codes of log-ins on a new network, newest first. */
  async loginCodesOf(email: string): Promise<readonly string[]> {
    await this.settle();
    const { mails } = await (await this.admin()).call(listOutbox, {});
    return mails.filter(({ to }) => to === email)
      .flatMap(({ subject }) => /^\d{6}(?= is your)/u.exec(subject) ?? []);
  }

  /** Opens the page of a room as a browser does: its rules, which set the device's cookie, and its data. */
  async opensRoom(visitor: Visitor, { username }: { readonly username: string }): Promise<void> {
    await visitor.call(getChatRules, { username });
    await visitor.call(getRoom, { username });
  }

  /** A lobby socket of a browser, authorized; `room` opens that room's socket instead. */
  async socketOf(visitor: Visitor, room: string | null = null): Promise<TestSocket> {
    const socket = await this.openSocket(
      visitor,
      room === null ? LOBBY_PATH : ROOM_PATH + encodeURIComponent(room),
    );
    const { node_token: token } = await visitor.call(getCurrentUser, {});
    await socket.authorizes(token, VERSION);
    // A room counts people after it lets them in: a listing requested before would show an empty room.
    if (room !== null) await socket.waitFor(userCount);
    return socket;
  }

  /** The URL of this site over loopback; the first call opens the port. */
  async address(): Promise<string> {
    this.#address ??= await this.http.app.listen({ host: '127.0.0.1', port: 0 });
    return this.#address;
  }

  /** A socket that isn't authorized yet, for attacks. */
  async openSocket(visitor: Visitor, path: string): Promise<TestSocket> {
    const sent = Object.entries(visitor.headers).filter(([, value]) => value !== undefined);
    const url = (await this.address()).replace(/^http/u, 'ws') + path;
    const socket = await TestSocket.open(url, Object.fromEntries(sent) as Record<string, string>);
    this.#sockets.add(socket);
    return socket;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => socket.leaves()));
    await this.#assembly.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Builds a site on a fresh database. Close it when done. Only `settle` and `passes` deliver facts.
 */
export async function createSite({
  clock = new VirtualClock(),
  settings,
  checkOutputs = true,
  socketsByClock = false,
  rtmpPortIsTaken = false,
  implementations,
  beside,
  data = null,
  blobs = memoryBlobs(() => clock.now()),
  roles = beside ? ['web', 'worker'] : ROLES,
  starts = true,
}: SiteOptions = {}): Promise<TestSite> {
  const engine = new TestEngine();
  const outputs = new TestOutputs(engine, () => clock.now().getTime());
  const rtmp = new TestRtmp();
  rtmp.portIsTaken = rtmpPortIsTaken;
  const folder = mkdtempSync(join(tmpdir(), 'candela-recordings-'));
  const lines: string[] = [];
  const sink = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(line.toString());
      done();
    },
  });
  const log = pino({ level: 'warn' }, sink);
  const opened = data === null
    ? await openTestData({ clock, slices: order.map(([slice]) => slice), ...beside })
    : { ...data, databaseUrl: null };
  const assembly = await assemble({
    text: siteTexts,
    data: opened,
    media: { engine, local: engine.local, outputs, rtmp },
    blobs,
    recordingsFolder: folder,
    log,
    settings: { ...SETTINGS, ...settings },
    transportClock: socketsByClock ? clock : systemClock,
    checkOutputs,
    implementations,
    roles,
  });
  if (roles.includes('web')) {
    mountEntering({ assembly, data: opened, scope: DEFAULT_SCOPE, secret: settings?.secret ?? SECRET });
  }
  if (starts) await assembly.start();
  return new TestSite({ clock, data: opened, engine, outputs, rtmp, blobs, folder, assembly, log: lines });
}
