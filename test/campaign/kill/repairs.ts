/** Lists the scenes in which each function repairs something or meets it again. */
import { FUNCTIONS, type GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import {
  anchoredAgain,
  archivedAgain,
  askedAgain,
  askedUnstarted,
  claimedUntold,
  clickedAgain,
  decidedUntold,
  home,
  hookedEdit,
  listedUnsealed,
  originalRun,
  otherCall,
  paid,
  ranAgain,
  redeemedLost,
  redeemedTwice,
  reportedBadly,
  slackBusy,
  talkedOn,
  unregistered,
  waitBegunAgain,
  webhookRefuses,
  withdrawnTwice,
  withSecret,
} from './again.ts';
import { BEGUN, ENDED, RESULT_PUT, TAKEN } from './awaits.ts';
import { inputAsked, largeUnheard, passedOn, remembered } from './forms.ts';
import {
  begunDead,
  cancelDead,
  cancelOvertakes,
  decidedDead,
  deferredDead,
  handedOverDead,
  operationDead,
  outcomeDead,
  proposalDead,
  runDead,
  spoiltDead,
  takenDead,
  talkDead,
  waitingDead,
} from './letters.ts';
import {
  choiceUnheard,
  chosenAtRisk,
  chosenByModel,
  chosenByPerson,
  chosenFirst,
  piloted,
  riskUnheard,
  talkedFreely,
  taskAsked,
} from './models.ts';
import { operatorApproves, operatorBegins, operatorEdits, orders } from './orders.ts';
import { outage, probeLost, stageOver, unstarted, unwoken } from './outages.ts';
import {
  anew,
  bothUnheard,
  cardLost,
  editUnheard,
  endedAsleep,
  followed,
  halfway,
  hookUnheard,
  lostRun,
  ofNothing,
  placeKept,
  rejectUnheard,
  rowForged,
  rowUnreadable,
  sealedUnheard,
  timeGone,
  unreported,
  untold,
  voteUnheard,
  voteUntold,
  waiterUnreadable,
} from './reconciled.ts';
import {
  badOrders,
  channelClosed,
  chooserFails,
  clicksRefused,
  forged,
  hookRefuses,
  modelRefuses,
  refusedLate,
  runFailed,
  sealedByOthers,
  slackRefuses,
  startsOther,
  tasksRefused,
  toolGone,
  toolRefuses,
} from './refusals.ts';
import type { Scene } from './scenes.ts';
import { shell, shellUnheard } from './shell.ts';
import { atHome, commanded, mentioned, readWhole, takenBack } from './surfaces.ts';

const OF_PERMITS = {
  runTaken: lostRun(TAKEN),
  runBegun: lostRun(BEGUN),
  runEnded: lostRun(ENDED),
  runAnswered: lostRun(RESULT_PUT),
  slotHeld: lostRun(BEGUN, 'Sync'),
  lookBegun: lostRun(BEGUN, 'Look'),
  unreported,
};

const OF_LETTERS = {
  proposalDead,
  spoiltDead,
  decidedDead,
  waitingDead,
  cancelDead,
  cancelOvertakes,
  deferredDead,
  handedOverDead,
};
/** Answered by models, and by people where the policy wants it. */
const CHOICES = { chosenByPerson, chosenAtRisk };
/** Inputs that lie in the bucket: whoever shows or runs the call reads them there. */
const LARGE = { largeByAgent: originalRun('agent', 'large'), largeByGate: originalRun('gate', 'large') };
const FORMS = { remembered, inputAsked };
const EVALUATE = {
  piloted,
  chosenFirst,
  taskAsked,
  askedAgain,
  otherCall,
  withSecret,
  askedUnstarted,
  claimedUntold,
  withdrawnTwice,
  ...LARGE,
  shell,
  startsOther,
  tasksRefused,
  ...FORMS,
};
const CARDS = { slackBusy, cardLost, timeGone, unregistered, home, lookBegun: OF_PERMITS.lookBegun, ...LARGE };

const OF_FUNCTIONS: Readonly<Partial<Record<GateFunctionName, Readonly<Record<string, Scene>>>>> = {
  reconcile: {
    ...{
      voteUntold,
      voteUnheard,
      rejectUnheard,
      editUnheard,
      sealedUnheard,
      hookUnheard,
      bothUnheard,
    },
    ...{ followed, cardLost, halfway, timeGone, untold, endedAsleep, rowUnreadable, ofNothing, placeKept, anew },
    ...{ rowForged, waiterUnreadable },
    ...{ unstarted, stageOver, probeLost, unwoken, channelClosed },
    ...{ shellUnheard, largeUnheard, choiceUnheard, riskUnheard },
    ...OF_PERMITS,
  },
  evaluate: EVALUATE,
  deliberate: {
    piloted,
    chosenByModel,
    ...CHOICES,
    taskAsked,
    hookUnheard,
    hookedEdit,
    ...OF_LETTERS,
    refusedLate,
    hookRefuses,
    modelRefuses,
    chooserFails,
  },
  'request-approval': { waitBegunAgain, chosenByPerson, largeByAgent: LARGE.largeByAgent, inputAsked },
  resume: {
    operatorApproves,
    ...CHOICES,
    decidedUntold,
    voteUntold,
    sealedUnheard,
    followed,
    shell,
    ...LARGE,
    ...FORMS,
  },
  'slack-out': {
    ...CARDS,
    ...FORMS,
    passedOn,
    chosenByPerson,
    operatorEdits,
    operatorBegins,
    mentioned,
    channelClosed,
    slackRefuses,
    runFailed,
  },
  slack: {
    readWhole,
    atHome,
    commanded,
    mentioned,
    chosenByPerson,
    unregistered,
    clickedAgain,
    home,
    ...LARGE,
    ...FORMS,
    passedOn,
    clicksRefused,
    takenBack,
    forged,
  },
  converse: { talkedFreely, mentioned, talkedOn, talkDead },
  operate: { orders, operatorApproves, operatorEdits, operatorBegins, commanded, operationDead, shell, badOrders },
  redeem: {
    paid,
    shell,
    largeByAgent: LARGE.largeByAgent,
    redeemedTwice,
    redeemedLost,
    secretByAgent: originalRun('agent', 'secret'),
  },
  'execute-tool': {
    shell,
    largeByGate: LARGE.largeByGate,
    ranAgain,
    secretByGate: originalRun('gate', 'secret'),
    ...OF_PERMITS,
    runDead,
    takenDead,
    begunDead,
    toolRefuses,
    toolGone,
  },
  'record-outcome': { paid, redeemedTwice, shell, runFailed },
  'collect-outcomes': { reportedBadly, outcomeDead, runFailed },
  'archive-audit': { archivedAgain },
  seal: { anchoredAgain, listedUnsealed, sealedByOthers },
  'send-webhooks': { orders, webhookRefuses },
  redrive: { orders },
};

/** Functions whose outage is another one's work as well. */
const WORKS_FOR: Readonly<Partial<Record<GateFunctionName, readonly GateFunctionName[]>>> = {
  deliberate: ['evaluate'],
  reconcile: ['evaluate', 'request-approval', 'resume', 'slack'],
};

export const REPAIRS = Object.fromEntries(
  FUNCTIONS.map((verb) => [
    verb,
    Object.assign({}, OF_FUNCTIONS[verb], ...[verb, ...(WORKS_FOR[verb] ?? [])].map(outage)),
  ]),
) as Readonly<Record<GateFunctionName, Readonly<Record<string, Scene>>>>;
