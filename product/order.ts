/** The slices in dependency order: a slice may import what stands before it, never what stands after. */
export const order = [
  ['site', 'Operators and their white-label sites: configuration, languages, regions, look.'],
  ['notices', 'How anyone is told anything: mail, web push, SMS, in-app notices.'],
  ['accounts', 'Guests, sign up, log in, sessions, profile, roles and the one permission table.'],
  ['compliance', 'Age and identity, region rules, clearances, and who may perceive whom.'],
  ['ledger', 'Tokens and money in double entry; the only writer of money.'],
  ['billing', 'Buying: products, billers and their callbacks, saved cards, re-ups, post-pay, promotions.'],
  ['broadcast', 'Going live: stream keys, WHIP, RTMP, WHEP, HLS, stream state and health, playback tokens.'],
  ['recordings', 'What performers record of their own shows: recordings, their space, the pre-show test.'],
  ['rooms', 'The live room: chat, presence, subject, room state.'],
  ['room-moderation', 'Order in rooms: bans, kicks, silences, room moderators, and what may be said.'],
  ['tips', 'Tips: exact, never lost, never doubled, seen by everyone in the room.'],
  ['browse', 'The live directory and its listings.'],
  ['screens', 'What combines many slices: the shell, home, room page, go live page, route table.'],
  ['testkit', 'A whole site in one process: virtual clock, seeds, scenario verbs, the demo.'],
] as const;
