----------------------------- MODULE LeaseTrace -----------------------------
(***************************************************************************)
(* Is the recorded life of one key a behaviour of Lease.tla?  The module   *)
(* TraceData has the steps that real processes recorded: writes and reads  *)
(* as they were sent, replies as they were read, grants, and times up to   *)
(* which a holder saw its lease valid.  One tick is one millisecond.       *)
(*                                                                         *)
(* What was recorded is given: the values of each request, the outcome of  *)
(* each reply and the item that it showed.  What nobody could record is    *)
(* searched for: when DynamoDB applied a request, and whether it applied   *)
(* one whose reply was lost, or a copy; when item TTL removed the item;    *)
(* and whether a reply was read too late to count.                         *)
(***************************************************************************)
EXTENDS Lease, Sequences, TraceData

CONSTANTS
  Slack   \* ticks that may pass between the reading of the clock and the record of the sending

VARIABLES
  i,      \* the next step of Trace
  open    \* the reads and refused writes whose item has not been seen yet, by their steps

traceVars == <<now, item, net, replies, client, granted, ended, fault, i, open>>

One == 1    \* TokensPerTick

Step == Trace[i]
Ready == i <= Len(Trace) /\ now = Step.at

Writes == {"acquire", "renew", "release"}

(* The time for which a holder claims a lease: without the drift of its clock (4.1). *)
Claimed(duration) == duration - duration \div 1000

(* The clock is read just before the sending is recorded.  A process that was stopped then has read it before. *)
ReadAt(s) ==
  LET e == Trace[s]
      inTime == e.expiry >= e.at + e.duration /\ (e.kind = "acquire" => e.token >= e.at + Deadline)
  IN IF inTime THEN e.at ELSE e.clock

(* The request that was sent in step s. *)
Sent(s) ==
  LET e == Trace[s]
  IN [verb |-> e.kind, client |-> e.client, tenure |-> e.tenure, number |-> e.number, at |-> ReadAt(s), over |-> e.over,
      confirmed |-> NoVersion, expiry |-> e.expiry, term |-> Claimed(e.duration), duration |-> e.duration,
      earliest |-> e.earliest, dead |-> e.dead, token |-> e.token]

-----------------------------------------------------------------------------
(* What Lease.tla demands of the values in a request *)

EarlierSends(c, tenure) ==
  {s \in 1..(i - 1) : Trace[s].kind \in {"acquire", "renew"} /\ Trace[s].client = c /\ Trace[s].tenure = tenure}

(* A range allows all versions that the tenure has sent, and none of another tenure. *)
Covers(c, tenure, first, last) ==
  /\ first = 1
  /\ \A s \in EarlierSends(c, tenure) : Trace[s].rank <= last

OwnRange ==
  LET e == Step
  IN IF e.ownTenure = 0
     THEN e.kind = "acquire" /\ EarlierSends(e.client, e.tenure) = {}
     ELSE /\ e.ownTenure = e.tenure
          /\ Covers(e.client, e.tenure, e.ownFirst, e.ownLast)
          /\ e.kind = "release" \/ e.ownLast < e.rank

OverRange == Step.over = 0 \/ Covers(Step.client, Step.over, Step.overFirst, Step.overLast)

(* 5.1: the version is of a former tenure of this client, or a reply has shown it long enough ago. *)
SurelyDead ==
  LET e == Step
  IN \/ e.dead = NoVersion
     \/ e.dead[1] = e.client /\ e.dead[2] < e.tenure
     \/ \E s \in 1..(i - 1) :
          /\ Trace[s].kind = "answered" /\ Trace[s].client = e.client
          /\ Trace[s].version = e.dead /\ Trace[s].at + Trace[s].duration <= now

(* 5.4 and 4.2 *)
GoodAcquire ==
  LET e == Step
      k == client[e.client]
  IN /\ e.token > k.seenToken /\ e.token >= ReadAt(i) + Deadline
     /\ e.expiry >= e.token /\ e.expiry >= ReadAt(i) + e.duration
     /\ e.earliest <= now
     /\ SurelyDead

GoodRenewal ==
  LET e == Step
      earlier == EarlierSends(e.client, e.tenure)
  IN /\ e.expiry >= ReadAt(i) + e.duration
     /\ \A s \in earlier : e.expiry >= Trace[s].expiry
     /\ \A x \in client[e.client].sent : x.tenure = e.tenure => ReadAt(i) + e.duration + Slack >= x.at + x.term

GoodRelease == \A s \in EarlierSends(Step.client, Step.tenure) : Step.expiry >= Trace[s].token

-----------------------------------------------------------------------------
(* The recorded steps *)

(* Whether the item is the one that the reply of step s shows *)
IsShown(s) ==
  LET a == Trace[s]
  IN CASE a.item = "none" -> ~item.exists
       [] a.item = "unknown" -> TRUE
       [] OTHER -> /\ item.exists /\ item.version = a.version /\ item.token = a.token /\ item.expiry = a.expiry
                   /\ a.version # NoVersion => item.duration = a.duration

(* The request of step s, if it is served now, gets the reply that was recorded.  It changes nothing. *)
Fits(s) ==
  /\ IsShown(Trace[s].reply)
  /\ Trace[s].kind \in Writes => ~Holds(Sent(s))

Waits(s) == Trace[s].reply # 0 /\ Trace[Trace[s].reply].outcome \in {"refused", "found"}

Shown(s) ==
  LET a == Trace[s]
  IN IF a.item = "none" THEN NoItem
     ELSE [exists |-> TRUE, version |-> a.version, expiry |-> a.expiry, token |-> a.token, duration |-> a.duration]

Opening == open' = IF Waits(i) /\ ~Fits(i) THEN open \cup {i} ELSE open

Sends(c, k) ==
  /\ Step.number = client[c].number + 1
  /\ OwnRange /\ OverRange
  /\ net' = net \cup {Sent(i)}
  /\ client' = [client EXCEPT ![c] = k]
  /\ UNCHANGED <<now, item, replies, granted, ended, fault>>

TraceAcquire ==
  LET c == Step.client
      k == client[c]
  IN /\ Step.kind = "acquire" /\ GoodAcquire
     /\ IF Step.tenure = k.tenure
        THEN k.phase = "acquiring" /\ Step.over \in {0, k.over}
        ELSE /\ Step.tenure = k.tenure + 1
             /\ IF Step.over = 0 THEN k.phase = "idle" ELSE k.phase = "held" /\ Step.over = k.tenure
     /\ Sends(c, Sending(c, Step.tenure, Step.over, Step.token, "acquire", ReadAt(i), Claimed(Step.duration)))

TraceRenew ==
  LET c == Step.client
      k == client[c]
  IN /\ Step.kind = "renew" /\ GoodRenewal
     /\ k.phase = "held" /\ ReadAt(i) < k.validUntil /\ Step.tenure = k.tenure
     /\ Sends(c, Sending(c, k.tenure, k.over, 0, "renew", ReadAt(i), Claimed(Step.duration)))

(* The first release of a tenure ends it.  A retry, or a release after the end, is one more request. *)
TraceRelease ==
  LET c == Step.client
      k == client[c]
      first == k.phase # "idle" /\ Step.tenure = k.tenure
  IN /\ Step.kind = "release" /\ GoodRelease /\ Step.tenure <= k.tenure
     /\ Sends(c, [IF first THEN Forgetting(k) ELSE k EXCEPT !.number = k.number + 1])

TraceRead == Step.kind = "read" /\ UNCHANGED vars

TraceSend == (TraceAcquire \/ TraceRenew \/ TraceRelease \/ TraceRead) /\ Opening

(* A reply that comes too late for its caller changes nothing. *)
Unread == UNCHANGED <<client, granted, fault>>

AnswerApplied ==
  /\ Step.outcome = "applied"
  /\ \E r \in replies :
       /\ r.m.client = Step.client /\ r.m.number = Trace[Step.request].number
       /\ \/ ReadLate(r)
          \/ Unread /\ replies' = replies \ {r} /\ UNCHANGED <<now, item, net, ended>>

AnswerRefused ==
  /\ Step.outcome = "refused" /\ Step.request \notin open
  /\ \/ Step.item # "unknown" /\ Read(Sent(Step.request), FALSE, Shown(i))
     \/ Unread
  /\ UNCHANGED <<now, item, net, replies, ended>>

AnswerFound ==
  /\ Step.outcome = "found" /\ Step.request \notin open
  /\ client' = [client EXCEPT ![Step.client].seenToken = Max(@, Step.token)]
  /\ UNCHANGED <<now, item, net, replies, granted, ended, fault>>

TraceAnswer ==
  /\ Step.kind = "answered" /\ UNCHANGED open
  /\ AnswerApplied \/ AnswerRefused \/ AnswerFound \/ (Step.outcome = "failed" /\ UNCHANGED vars)

TraceGranted ==
  /\ Step.kind = "granted" /\ UNCHANGED <<vars, open>>
  /\ \E g \in granted : g.client = Step.client /\ g.token = Step.token

(* A holder saw its lease valid, and relied on it for the remaining time. *)
TraceValid ==
  LET k == client[Step.client]
  IN /\ Step.kind = "valid" /\ UNCHANGED <<vars, open>>
     /\ \E g \in granted : g.client = Step.client /\ g.token = Step.token
     /\ k.phase = "held" /\ k.token = Step.token => k.validUntil >= Step.until

Recorded == Ready /\ i' = i + 1 /\ (TraceSend \/ TraceAnswer \/ TraceGranted \/ TraceValid)

-----------------------------------------------------------------------------
(* The steps that nobody could record *)

Seeing == open' = {s \in open : ~Fits(s)'}

Wanted(m) ==
  /\ \E s \in i..Len(Trace) : /\ Trace[s].kind = "answered" /\ Trace[s].outcome = "applied"
                              /\ Trace[s].client = m.client /\ Trace[Trace[s].request].number = m.number
  /\ ~\E r \in replies : r.m.client = m.client /\ r.m.number = m.number

HiddenDelivery ==
  \E m \in net :
    /\ Holds(m)
    /\ Deliver(m) /\ UNCHANGED <<client, granted, fault>>
    /\ Wanted(m) <=> replies' # replies

(* The tenure of a client ends before its next one begins.  Its release may be recorded a little later. *)
HiddenEnd ==
  LET c == Step.client
  IN /\ Step.kind = "acquire" /\ Step.over = 0 /\ Step.tenure = client[c].tenure + 1
     /\ End(c)

(* An assumption of docs/protocol.md: an expired item stays for as long as a copy of an earlier request may arrive. *)
LateRemoval == item.expiry + CopyLife < now /\ Remove

(* DynamoDB Local looks for expired items every minute, so it may remove one that has just expired.  A recorded    *)
(* reply shows it: a read finds no item, an acquire is applied that the item would refuse, or a release in a batch *)
(* is refused without its item.  By the same assumption, no copy of an earlier request arrives after that.         *)
EarlyRemoval ==
  /\ \/ \E s \in open : Trace[Trace[s].reply].item \in {"none", "unknown"}
     \/ \E m \in net : m.verb = "acquire" /\ Wanted(m) /\ ~Holds(m)
  /\ item.exists /\ item.expiry < now
  /\ item' = NoItem
  /\ net' = {m \in net : m.at > item.expiry \/ Wanted(m)}
  /\ UNCHANGED <<now, replies, client, granted, ended, fault>>

HiddenRemoval == LateRemoval \/ EarlyRemoval

Hidden == Ready /\ (HiddenDelivery \/ HiddenEnd \/ HiddenRemoval) /\ Seeing /\ UNCHANGED i

Advance ==
  /\ i <= Len(Trace) /\ now < Step.at
  /\ now' = Step.at
  /\ net' = {m \in net : now' <= m.at + CopyLife}
  /\ UNCHANGED <<item, replies, client, granted, ended, fault, i, open>>

TraceSpec == Init /\ i = 1 /\ open = {} /\ [][Advance \/ Hidden \/ Recorded]_traceVars

-----------------------------------------------------------------------------
ASSUME TLCSet(1, 0)

(* Reports each new step that the search reaches. *)
Progress == i <= TLCGet(1) \/ (TLCSet(1, i) /\ PrintT(<<"reached", i, "of", Len(Trace) + 1>>))
=============================================================================
