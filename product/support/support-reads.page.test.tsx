import {
  adminAt,
  expectAllReads,
  guestAt,
  performerAt,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  getChatState,
  getSupportPhone,
  listConversations,
  listRequests,
  readChat,
  readConversation,
  showLiveHelp,
} from './client.ts';
import { sendChat } from './contract/chat.ts';

/** An admin who opens a conversation. */
const conversation: ReadCase['way'] = async (site) => {
  const [visitor, performer] = [await site.admin(), await site.performer()];
  await performer.call(sendChat, { text: 'Hello?' });
  return {
    visitor,
    at: '/admin/support',
    leads: (page) => page.press(`Chat with ${performer.username}`),
  };
};

const CASES: readonly ReadCase[] = [
  { in: ['support-page.tsx'], call: showLiveHelp, way: guestAt('/support') },
  { in: ['support-page.tsx'], call: getChatState, way: guestAt('/support') },
  { in: ['support-page.tsx'], call: getSupportPhone, way: viewerAt('/support'), isSmall: true },
  { in: ['chat/chat-page.tsx'], call: getChatState, way: guestAt('/support/chat') },
  { in: ['chat/chat-panel.tsx'], call: readChat, way: performerAt('/support/chat') },
  { in: ['requests-page.tsx'], call: listRequests, way: adminAt('/admin/support') },
  {
    in: ['requests-page.tsx', 'chat/conversations.tsx'],
    call: listConversations,
    way: adminAt('/admin/support'),
  },
  { in: ['chat/conversations.tsx'], call: readConversation, way: conversation },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['chat/unread.ts'],
    call: getChatState,
    because: 'the count in the menu: read again with each connection, and by the page of chat',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('support', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
