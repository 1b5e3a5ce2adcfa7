/**
 * A busy site as commit 50de409f writes it. `make-fixture.mjs` runs this in a checkout of that commit:
 * people, purchases, holds, tips, splits, refunds, a chargeback, fan clubs, reports, rooms with chat, and at
 * the end facts that no handler has seen and deadlines that are still to come. Prints where the database is
 * and which kinds of deadlines there are.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Modules of the checkout, which is another version than this file's own. */
const load = (path) => import(pathToFileURL(join(process.cwd(), path)).href);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POLL_MS = 20;

const { Deadlines } = await load('platform/data/delivery/deadlines.ts');
const kinds = [];
const attach = Deadlines.prototype.attach;
Deadlines.prototype.attach = function attachAndNote(handlings, isOurs) {
  kinds.push(...handlings.map(({ kind }) => kind));
  return attach.call(this, handlings, isOurs);
};

const { sql } = await load('node_modules/kysely/dist/esm/index.js');
const { createShop } = await load('product/testkit/payments/payments.ts');
const { key, of, operatorLeg, operation, plainOffer } = await load('product/testkit/payments/wallet.ts');
const { scriptedBiller, scriptedCallback, scriptedPayment } = await load(
  'product/testkit/payments/scripted-biller.ts',
);
const { clubMember, clubOwner } = await load('product/testkit/fan-club.ts');
const { TEST_OFFER } = await load('product/testkit/media/engine.ts');
/** The calls of a slice, whose contract is split by subject. */
const contractOf = async (slice, subjects) => {
  const folder = `product/${slice}/contract`;
  const paths = [`${folder}.ts`, ...subjects.map((one) => `${folder}/${one}.ts`)];
  return Object.assign({}, ...await Promise.all(paths.map(load)));
};
const accounts = await contractOf('accounts', []);
const billing = await contractOf('billing', ['cards', 'credit', 'orders']);
const broadcast = await contractOf('broadcast', ['settings']);
const compliance = await contractOf('compliance', []);
const ledger = await contractOf('ledger', ['limits']);
const messaging = await contractOf('messaging', []);
const { sendReport } = await contractOf('moderation', []);
const moderation = await contractOf('room-moderation', []);
const recordings = await contractOf('recordings', []);
const rooms = await contractOf('rooms', ['controls']);
const { contactSupport } = await contractOf('support', []);
const tips = await contractOf('tips', ['effects', 'goals', 'menu', 'overlay', 'splits', 'tools']);

const shop = await createShop();
const { site } = shop;
const { services } = site;
const query = (text) => site.tx(async (tx) => (await sql.raw(text).execute(tx.sql())).rows);
const post = (...operations) => site.tx((tx) => services.ledger.post(tx, operations));

/** People and what is set up. */
const admin = await site.admin({ username: 'boss' });
const performer = (username, live = true) => site.performer({ username, live });
const [anna, bea, emma, fran] = [
  await performer('anna'),
  await performer('bea'),
  await performer('emma'),
  await performer('fran'),
];
const [cleo, dora, gina, hana] = [
  await performer('cleo', false),
  await performer('dora', false),
  await performer('gina', false),
  await performer('hana'),
];
const marshal = await site.viewer({ username: 'marshal' });
const [kim, lee, max, noa, pat, rio, sam, uma] = await Promise.all(
  ['kim', 'lee', 'max', 'noa', 'pat', 'rio', 'sam', 'uma'].map((username) => site.viewer({ username })),
);
await site.tx((tx) => services.billing.configure(tx, { switches: { postpay: true } }, null));
const standby = { domains: ['localhost'], studios: [] };
await site.tx((tx) => services.site.configure(tx, { standby }, null));
await site.tx((tx) => services.broadcast.setDetails(tx, anna.id, 'Good evening', ['chat']));
await site.tx((tx) =>
  services.ledger.setSplit(tx, fran.id, site.clock.now(), [
    { to: anna.id, percent: 20 },
    { to: 'fees', percent: 10 },
  ])
);
await anna.call(tips.saveTipMenu, { items: [{ title: 'Wave', price: 20 }, { title: 'Song', price: 45 }] });
await anna.call(tips.addGoal, { title: 'Dance', target: 150 });
await anna.call(tips.makeOverlay, {});
await anna.call(rooms.sendNotice, { username: 'anna', message: 'Be kind', every_minutes: 5 });
await anna.call(moderation.moderate, { username: 'anna', subject: 'marshal', action: 'moderator' });
await bea.call(rooms.saveRoomSettings, { username: 'bea', camPassword: 'open sesame' });

/** Purchases: some refunded, one charged back after it was spent; a membership, re-ups, post-pay. */
const referenceOf = async (member, id) => (await member.call(billing.getOrder, { id })).order.reference;
for (const member of [kim, lee, max, noa, pat, sam]) await shop.buys(member, '1_200');
await shop.buys(kim, 'membership_premium');
const { orderId: partly } = await shop.buys(lee, '1_100');
const { orderId: wholly } = await shop.buys(max, '1_100');
const { orderId: charged } = await shop.buys(noa, '1_100');
await noa.tips(anna, 260);
await site.settle();
const till = shop.simulators.till('ccbill');
till.refund(await referenceOf(lee, partly), { minor: 333, currency: 'USD' });
till.refund(await referenceOf(max, wholly));
till.chargeback(await referenceOf(noa, charged));
await shop.passes(60_000);
const { cards: [card] } = await kim.call(billing.listCards, {});
await kim.call(billing.setAutoReUp, {
  enabled: true,
  threshold: 60,
  internal_id: '1_100',
  cardId: card.id,
  per_day: 3,
  confirmed: true,
  shown: plainOffer(100),
});
await pat.call(billing.setPostpay, { enabled: true });

/** Chat, and spending of every kind. */
const sockets = new Map();
for (const [member, host] of [[kim, anna], [lee, anna], [max, anna]]) {
  sockets.set(member, await member.joins(host));
}
const says = (member, text) => site.says(sockets.get(member), text);
const orders = async (member, nth, comment) =>
  member.call(tips.sendTip, {
    username: 'anna',
    type: 'menu',
    comment,
    amount: [20, 45][nth],
    app_data: { item: (await anna.call(tips.getTipTools, {})).menu[nth].id },
  }, key());
const holds = (tokens) =>
  operation(
    'private_show',
    [of(sam.id, 'tokens', -tokens), of(sam.id, 'held', tokens)],
    { hold: { expiresAt: new Date(site.clock.now().getTime() + 2 * HOUR_MS) } },
  );
const settles = (hold, tokens, close) =>
  operation(
    'private_show',
    [of(sam.id, 'held', -tokens), of(bea.id, 'earnings', tokens)],
    { settles: { hold: hold.id, close } },
  );
await says(kim, 'Good evening');
await says(lee, 'Hello, how was your day?');
await kim.tips(anna, 25);
await orders(lee, 0, 'for you');
await max.call(tips.sendTip, { username: 'anna', amount: 40, comment: 'guess who', anonymous: true }, key());
await max.tips(fran, 50);
await pat.tips(fran, 250);
await site.settle();
await says(max, 'Who was that?');
const split = await kim.call(tips.startSplit, { username: 'anna', amount: 60, people: 2 });
await lee.call(tips.joinSplit, { username: 'anna', id: split.id, price: split.split_amount });
const closed = holds(60);
await post(closed, settles(closed, 25, true));
await post(operation('bonus', [operatorLeg('grants', -30), of(rio.id, 'tokens', 30)]));
await rio.call(ledger.setLimits, { day: 25, month: 500 });
await uma.call(ledger.takeCoolOff, { hours: 24 });
await site.tx((tx) => services.ledger.block(tx, uma.id, 'under review', null));
const order = { username: 'anna', subject: 'uma', action: 'ban', minutes: 30, reason: 'rude' };
await marshal.call(moderation.moderate, order);
await shop.passes(DAY_MS + 3 * HOUR_MS);

/** Fan clubs, followers, reports, support. */
const ida = await clubOwner(site, { username: 'ida' });
await clubMember(site, ida, 'supporter', { username: 'mia' });
await kim.call(messaging.follow, { username: 'anna' });
await max.call(messaging.hidePerformer, { username: 'gina' });
const details = 'Shows the telephone numbers of other people';
await lee.call(sendReport, { kind: 'room', username: 'bea', reason: 'other', details });
await rio.call(contactSupport, { topic: 'payment', message: 'Where do I find my receipts?' });
await site.settle();

/** What goes on over the upgrade: deadlines to come. */
const open = holds(40);
await post(open, settles(open, 15, false));
await kim.call(tips.startSplit, { username: 'emma', amount: 30, people: 3 });
await anna.call(moderation.moderate, { username: 'anna', subject: 'rio', action: 'silence', minutes: 20 });
await cleo.call(broadcast.setStandby, { on: true });
await dora.call(recordings.startTest, {});
await pat.tips(fran, 30);
const linkOf = async (member, id, biller) =>
  (await member.call(billing.getPurchaseLink, { internal_id: id, biller })).order_id;
const unpaid = await linkOf(lee, '1_50', 'segpay');
const paid = await linkOf(max, '1_50', 'ccbill');
const better = await linkOf(kim, 'membership_vip', 'ccbill');
await site.settle();

/** The last moments, of which nothing is delivered. */
const goesLive = async (host) => {
  const stream = await site.tx((tx) => services.broadcast.makeStreamKey(tx, host.id));
  await host.request({
    method: 'POST',
    url: '/whip',
    payload: TEST_OFFER,
    headers: { authorization: `Bearer ${stream}`, 'content-type': 'application/sdp' },
  });
  site.engine.arrive();
  await services.broadcast.settled();
};
const breaksOff = async (host) => {
  const [{ stream }] = await query(`select stream from rooms.rooms where performer_id = ${host.id}`);
  site.engine.drop(stream, 'lost');
  await services.broadcast.settled();
};
const newcomer = await site.visitor({ ofAge: true });
await newcomer.call(accounts.register, {
  username: 'vic',
  email: 'vic@people.example',
  password: 'a horse of another colour',
  birth_date: '1990-05-05',
  type: 'model',
  accept_terms: true,
});
for (const [member, message] of [[kim, 'Are you still there?'], [lee, 'I think so']]) {
  sockets.get(member).send(rooms.sayInChat, { message });
  while ((await query(`select from rooms.messages where body = '${message}'`)).length === 0) {
    await setTimeout(POLL_MS);
  }
}
await kim.tips(anna, 155);
await orders(max, 1, 'sing');
await rio.tips(fran, 10);
const { effects } = await anna.call(tips.listEffects, {});
await anna.call(tips.replayEffect, { id: effects.find(({ state }) => state !== 'waiting').id });
const receives = (biller, event) =>
  services.billing.receiveCallback(site.scope, biller, scriptedCallback(event));
await receives(scriptedBiller('ccbill'), scriptedPayment(paid, 500));
await receives(scriptedBiller('ccbill'), scriptedPayment(better, 3_999));
// A callback that is stored while its reading fails: it is read again later.
const fails = () => {
  throw new Error('the process ends here');
};
await receives(scriptedBiller('segpay', { read: fails }), scriptedPayment(unpaid, 500)).catch(() => null);
await services.broadcast.move(site.scope, fran.id, 'private');
await breaksOff(emma);
await breaksOff(bea);
await goesLive(bea);
await goesLive(cleo);
await gina.call(broadcast.setStandby, { on: true });
await hana.call(accounts.logoutEverywhere, {});
const revoked = { username: 'hana', decision: 'revoke', reason: 'papers expired' };
await admin.call(compliance.decideClearance, revoked);
await site.tx((tx) => services.compliance.blockRegions(tx, anna.id, ['DE']));
await site.tx((tx) => services.broadcast.setDetails(tx, anna.id, 'Still here', ['chat']));
await anna.call(moderation.moderate, { username: 'anna', subject: 'uma', action: 'ban' });
await anna.call(broadcast.endBroadcast, {});

// The database stays open, and its delivery still, until whoever started this has its dump.
console.log(JSON.stringify({
  at: site.clock.now().toISOString(),
  databaseUrl: site.data.databaseUrl,
  kinds: kinds.sort(),
}));
process.stdin.resume().once('end', () => process.exit(0));
