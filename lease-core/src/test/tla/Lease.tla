------------------------------- MODULE Lease -------------------------------
(***************************************************************************)
(* The lease protocol for one key.  Clients send requests over a network   *)
(* that delays, repeats and loses them.  A reply is read or lost.          *)
(* DynamoDB applies one request at a time.  Time is DynamoDB's, in whole   *)
(* ticks.  Numbers such as 5.1 are the steps of docs/protocol.md.          *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  (* The extent of the search *)
  Clients,        \* processes that want the key
  LastTick,       \* last tick of time, which begins at FirstTick
  RequestsEach,   \* requests that one client may send
  RequestsAll,    \* requests that all clients together may send
  (* Times in ticks *)
  Ttl,            \* duration of one grant or renewal
  Terms,          \* durations that one write may choose: Ttl, less before a hold limit, more for an extension (4.1)
  Deadline,       \* deadline of an acquire attempt; no later reply or read grants it (5.4)
  HoldFor,        \* length of a hold
  CopyLife,       \* longest time from the sending of a request to the application of a copy
  ClockWidth,     \* 4.2: earliest >= now - ClockWidth, latest <= now + ClockWidth
  (* The world and the settings *)
  ItemTtl,        \* TRUE: DynamoDB removes items after their lease_expiry
  Observing,      \* TRUE: clients take over by observation (4.3)
  ReleaseMode,    \* "retain" | "delete" (where 5.4 allows it) | "hold"
  HandingOver,    \* TRUE: a holder may hand its lease over to a local waiter
  Crashes,        \* TRUE: a tenure may end at any time, without a release
  ForcedRelease,  \* TRUE: an operator may release by force at any time
  LateReplies,    \* TRUE: a reply may be read at a later tick than the write
  RoundedDown,    \* ticks by which lease_expiry is too small: 1 for clients that round down
  CrateVisits,    \* TRUE: a client that writes no token may put and delete an expired item
  ClockError,     \* ticks by which latest may be below now: more than 0 after an unnoticed suspend
  (* The protocol; the first value of each is the right one *)
  TokenFrom,      \* 5.4: "deadline" | "send" (latest only) | "increment" (by the server)
  TokenCovered,   \* TRUE | FALSE: a write may store a lease_expiry below its token
  DeleteWhen,     \* 5.4: "safe" | "always"
  TakeOver,       \* 4.2: "after" lease_expiry | "at" it
  Condition,      \* 5.2: "range" | "confirmed" (the last confirmed version only) | "prefix"
  Adopt,          \* 5.5: "found" (validity from the request found in the item)
                  \*      | "refused" (from the refused request) | "never"
  Ours,           \* 5.5: "tenure" | "process"
  TermWhen,       \* "kept" (no write ends before an earlier one) | "any"
  TermTold,       \* "claimed" (observers are told what the holder claims) | "less"
  HoldAs,         \* "fresh" (a tenure of its own) | "tenure" (of the holder)
  GuardBy,        \* 5.8: "tenure" (and token) | "token" alone
  HandOver        \* "conditional" | "blind" (no condition) | "sameToken" | "anyToken" (no condition on the token)

VARIABLES
  now,       \* DynamoDB's time
  item,      \* the item of the key
  net,       \* requests that may still be applied
  replies,   \* replies that may still be read (LateReplies)
  client,    \* the state of each client
  granted,   \* every [client, tenure, token] that was ever granted
  ended,     \* the elements of granted whose release has been applied
  fault      \* "none", or the fault that a reply has shown: "token" or "loss"

vars == <<now, item, net, replies, client, granted, ended, fault>>

FirstTick == 2
Retention == 100
TokensPerTick == 10  \* tokens are finer than ticks, as ms are finer than seconds

Max(a, b) == IF a > b THEN a ELSE b
Largest(S) == CHOOSE x \in S : \A y \in S : y <= x

(* lease_version: client, tenure and number.  Numbers continue through all *)
(* tenures of a client.  So the earlier versions of a tenure are those of  *)
(* the same client and tenure with a lower number.                         *)
NoVersion == <<"none", 0, 0>>
HoldTenure == 0      \* tenures count from 1; no client acts for this one
VersionOf(m) == <<m.client, m.tenure, m.number>>

NoItem == [exists |-> FALSE, version |-> NoVersion, expiry |-> 0, token |-> 0, duration |-> 0]
NoObservation == [version |-> NoVersion, since |-> 0, duration |-> 0]
Idle == [phase |-> "idle", tenure |-> 0, over |-> 0, number |-> 0, sent |-> {}, confirmed |-> NoVersion,
         validUntil |-> 0, token |-> 0, unanswered |-> {}, seenToken |-> 0, observed |-> NoObservation]

Init ==
  /\ now = FirstTick /\ item = NoItem /\ net = {} /\ replies = {}
  /\ client = [c \in Clients |-> Idle]
  /\ granted = {} /\ ended = {} /\ fault = "none"

Earliest == {now - ClockWidth, now}
Latest == {now - ClockError, now + ClockWidth}

Valid(c) == client[c].phase = "held" /\ now < client[c].validUntil
Grants(c) == {g \in granted : g.client = c /\ g.tenure = client[c].tenure}
Revoked(c) == Grants(c) \cap ended # {}   \* the holder learns of it only by its next renewal

(* No write stores a lease_expiry below its token. *)
Expiry(latest, duration, token) ==
  LET asked == latest + duration
  IN IF TokenCovered THEN Max(asked, (token + TokensPerTick - 1) \div TokensPerTick) ELSE asked

-----------------------------------------------------------------------------
(* Requests *)

RECURSIVE Total(_)
Total(S) == IF S = {} THEN 0 ELSE LET c == CHOOSE x \in S : TRUE IN client[c].number + Total(S \ {c})
MaySend(c) == client[c].number < RequestsEach /\ Total(Clients) < RequestsAll

Request(c, verb, tenure) ==
  [verb |-> verb, client |-> c, tenure |-> tenure, number |-> client[c].number + 1, at |-> now,
   over |-> 0, confirmed |-> NoVersion, expiry |-> 0, term |-> 0, duration |-> 0, earliest |-> 0,
   dead |-> NoVersion, token |-> 0]

(* 5.1: the one version known to be dead: by observation, or of a tenure that this client gave up or released. *)
Dead(c) ==
  LET o == client[c].observed
      former == item.version[1] = c /\ item.version[2] \in 1..client[c].tenure
  IN IF Observing /\ o.version # NoVersion /\ now - o.since >= o.duration THEN o.version
     ELSE IF former /\ client[c].phase = "idle" THEN item.version
     ELSE NoVersion

(* 5.4 *)
Token(c, latest) ==
  CASE TokenFrom = "deadline"  -> Max(TokensPerTick * (latest + Deadline), client[c].seenToken + 1)
    [] TokenFrom = "send"      -> Max(TokensPerTick * latest, client[c].seenToken + 1)
    [] TokenFrom = "increment" -> Max(TokensPerTick * latest, client[c].seenToken)

(* A hold limit shortens writes and an extension lengthens one, but none ends before an earlier one of its tenure. *)
NotBelow(k, tenure, term) ==
  TermWhen = "any" \/ \A x \in k.sent : x.tenure = tenure => now + term >= x.at + x.term

(* The duration that observers are told. *)
Told(term) == IF TermTold = "less" THEN term - 1 ELSE term

Sending(c, tenure, over, token, verb, s, term) ==
  LET k == client[c]
      first == tenure # k.tenure
      old == IF first /\ Ours = "tenure" THEN {} ELSE k.sent
      open == IF first THEN {} ELSE k.unanswered
      number == k.number + 1
  IN [k EXCEPT !.phase = IF verb = "acquire" THEN "acquiring" ELSE @,
               !.tenure = tenure, !.over = over, !.number = number,
               !.sent = old \cup {[tenure |-> tenure, number |-> number, at |-> s, term |-> term]},
               !.unanswered = IF verb = "acquire" /\ ReleaseMode = "delete" THEN open \cup {number} ELSE open,
               !.confirmed = IF first THEN NoVersion ELSE @,
               !.validUntil = IF first THEN 0 ELSE @,
               !.token = IF first THEN 0 ELSE @,
               !.seenToken = IF TokenFrom = "increment" THEN @ ELSE Max(@, token)]

(* 5.1: an attempt of a tenure, the first one or a retry.  `over` is the tenure that handed over, or 0. *)
Acquire(c, tenure, over) ==
  \E latest \in Latest, earliest \in Earliest, term \in {t \in Terms : NotBelow(client[c], tenure, t)} :
    LET token == IF over # 0 /\ HandOver = "sameToken" THEN client[c].seenToken ELSE Token(c, latest)
        m == [Request(c, "acquire", tenure) EXCEPT
                !.over = over, !.token = token, !.earliest = earliest, !.dead = Dead(c),
                !.expiry = Expiry(latest - RoundedDown, term, token), !.term = term, !.duration = Told(term)]
    IN /\ net' = net \cup {m}
       /\ client' = [client EXCEPT ![c] = Sending(c, tenure, over, token, "acquire", now, term)]
       /\ UNCHANGED <<now, item, replies, granted, ended, fault>>

SendAcquire(c) ==
  /\ MaySend(c)
  /\ \/ client[c].phase = "idle" /\ Acquire(c, client[c].tenure + 1, 0)
     \/ client[c].phase = "acquiring" /\ Acquire(c, client[c].tenure, client[c].over)
     \/ client[c].phase = "acquiring" /\ client[c].over # 0 /\ Acquire(c, client[c].tenure, 0)

(* Hand-over to a local waiter: an acquire of a new tenure, which may also overwrite the old one. *)
SendHandOver(c) ==
  /\ HandingOver /\ MaySend(c) /\ client[c].phase = "held"
  /\ Acquire(c, client[c].tenure + 1, client[c].tenure)

(* 5.2 *)
SendRenew(c) ==
  /\ MaySend(c) /\ Valid(c)
  /\ \E latest \in Latest, term \in {t \in Terms : NotBelow(client[c], client[c].tenure, t)} :
       LET k == client[c]
           m == [Request(c, "renew", k.tenure) EXCEPT
                   !.expiry = Expiry(latest - RoundedDown, term, k.seenToken), !.term = term, !.duration = Told(term),
                   !.over = k.over,
                   !.confirmed = k.confirmed]
       IN /\ net' = net \cup {m}
          /\ client' = [client EXCEPT ![c] = Sending(c, k.tenure, k.over, 0, "renew", now, term)]
  /\ UNCHANGED <<now, item, replies, granted, ended, fault>>

Forgetting(k) ==
  [Idle EXCEPT !.tenure = k.tenure, !.number = k.number, !.seenToken = k.seenToken, !.observed = k.observed,
               !.sent = IF Ours = "process" THEN k.sent ELSE {}]

(* 5.3: close() of a lease, or the end of an acquire without a grant (5.5).  A *)
(* delayed release (6.5) is this one, at a later tick within the validity.   *)
SendRelease(c) ==
  /\ MaySend(c) /\ client[c].phase # "idle"
  /\ \E earliest \in Earliest :
       LET k == client[c]
           held == k.phase = "held"
           safe == k.unanswered = {} /\ k.token < TokensPerTick * earliest
           verb == IF held /\ ReleaseMode = "hold" THEN "hold"
                   ELSE IF held /\ ReleaseMode = "delete" /\ (safe \/ DeleteWhen = "always") THEN "delete"
                   ELSE "release"
           duration == IF verb = "hold" THEN HoldFor ELSE Retention
           m == [Request(c, verb, k.tenure) EXCEPT
                   !.expiry = Expiry(earliest, duration, k.seenToken), !.over = k.over,
                   !.confirmed = k.confirmed]
       IN /\ net' = net \cup {m}
          /\ client' = [client EXCEPT ![c] = [Forgetting(k) EXCEPT !.number = k.number + 1]]
  /\ UNCHANGED <<now, item, replies, granted, ended, fault>>

(* A tenure ends when its validity ends, or with Crashes at any time.  It sends nothing after that. *)
End(c) ==
  /\ client[c].phase # "idle"
  /\ Crashes \/ (client[c].phase = "held" /\ ~Valid(c))
  /\ client' = [client EXCEPT ![c] = Forgetting(client[c])]
  /\ UNCHANGED <<now, item, net, replies, granted, ended, fault>>

(* 4.3.  A client that may send no more requests need not observe. *)
Observe(c) ==
  /\ Observing /\ MaySend(c) /\ client[c].phase # "held"
  /\ item.version \notin {NoVersion, client[c].observed.version}
  /\ client' = [client EXCEPT
       ![c].observed = [version |-> item.version, since |-> now, duration |-> item.duration],
       ![c].seenToken = Max(@, item.token)]
  /\ UNCHANGED <<now, item, net, replies, granted, ended, fault>>

-----------------------------------------------------------------------------
(* DynamoDB *)

(* BETWEEN :tenure-00000001 AND :previous, for the tenure and for the one that handed over to it *)
Earlier(m) ==
  /\ item.version[1] = m.client /\ item.version[3] < m.number
  /\ item.version[2] = m.tenure \/ (m.over # 0 /\ item.version[2] = m.over)

Mine(m) ==
  CASE Condition = "confirmed" -> item.version = m.confirmed
    [] Condition = "prefix" /\ m.verb = "renew" -> item.version[1] = m.client /\ item.version[2] = m.tenure
    [] OTHER -> Earlier(m)

Ended(earliest) == IF TakeOver = "after" THEN item.expiry < earliest ELSE item.expiry <= earliest

Free(m) ==
  \/ item.version = NoVersion
  \/ Ended(m.earliest)
  \/ m.dead # NoVersion /\ item.version = m.dead
  \/ Condition # "confirmed" /\ Earlier(m)

Holds(m) ==
  IF m.verb = "acquire"
  THEN /\ TokenFrom = "increment" \/ item.token < m.token \/ (m.over # 0 /\ HandOver # "conditional")
       /\ Free(m) \/ (m.over # 0 /\ HandOver = "blind")
  ELSE item.version # NoVersion /\ Mine(m)

Written(m) ==
  CASE m.verb = "acquire" ->
         [exists |-> TRUE, version |-> VersionOf(m), expiry |-> m.expiry, duration |-> m.duration,
          token |-> IF TokenFrom # "increment" THEN m.token
                    ELSE 1 + (IF item.token = 0 THEN m.token ELSE item.token)]
    [] m.verb = "renew" -> [item EXCEPT !.version = VersionOf(m), !.expiry = m.expiry, !.duration = m.duration]
    [] m.verb = "release" -> [item EXCEPT !.version = NoVersion, !.expiry = m.expiry]
    [] m.verb = "hold" ->
         [item EXCEPT !.version = <<m.client, IF HoldAs = "fresh" THEN HoldTenure ELSE m.tenure, m.number>>,
                      !.expiry = m.expiry, !.duration = HoldFor]
    [] m.verb = "delete" -> NoItem

(* 5.5: request r of the tenure is confirmed by an item with this token. *)
Confirm(c, r, token) ==
  LET k == client[c]
      first == k.phase # "held"
  IN IF now < r.at + r.term /\ (first => now <= r.at + Deadline)
     THEN /\ client' = [client EXCEPT ![c] =
               [k EXCEPT !.phase = "held", !.confirmed = IF Condition = "confirmed" THEN <<c, r.tenure, r.number>> ELSE @,
                         !.token = token,
                         !.validUntil = Max(@, r.at + r.term), !.seenToken = Max(@, token),
                         !.sent = {x \in @ : x.number >= r.number},
                         !.unanswered = @ \ {r.number}]]
          /\ fault' = IF first /\ \E g \in granted : g.token >= token THEN "token" ELSE fault
          /\ granted' = granted \cup {[client |-> c, tenure |-> k.tenure, token |-> token]}
     ELSE /\ client' = [client EXCEPT ![c].seenToken = Max(@, token), ![c].unanswered = @ \ {r.number}]
          /\ UNCHANGED <<granted, fault>>

(* The reply to m: whether m was applied, and the item after it, or the item that refused it. *)
Read(m, applied, found) ==
  LET c == m.client
      k == client[c]
      refusedBy == {r \in k.sent : found.version = <<c, r.tenure, r.number>>}
      awaited == m.verb \in {"acquire", "renew"} /\ m.tenure = k.tenure /\ k.phase # "idle"
      sameTenure == found.version[1] = c /\ found.version[2] = k.tenure
      Learn == /\ client' = [client EXCEPT ![c].seenToken = Max(@, found.token),
                                           ![c].unanswered = @ \ {IF awaited THEN m.number ELSE 0}]
               /\ UNCHANGED granted
  IN CASE ~awaited -> Learn /\ UNCHANGED fault
       [] awaited /\ applied -> Confirm(c, [tenure |-> m.tenure, number |-> m.number, at |-> m.at, term |-> m.term], found.token)
       [] awaited /\ ~applied /\ refusedBy # {} /\ Adopt # "never" ->
            LET r == CHOOSE x \in refusedBy : TRUE
            IN Confirm(c, IF Adopt = "found" THEN r ELSE [r EXCEPT !.at = m.at], found.token)
       [] OTHER ->
            /\ Learn
            /\ fault' = IF m.verb = "renew" /\ Valid(c) /\ ~Revoked(c) /\ (Adopt = "never" \/ ~sameTenure)
                        THEN "loss" ELSE fault

Deliver(m) ==
  LET applied == Holds(m)
      found == IF applied THEN Written(m) ELSE item
  IN /\ item' = found
     /\ \/ Read(m, applied, found) /\ UNCHANGED replies
        \/ LateReplies /\ replies' = replies \cup {[m |-> m, applied |-> applied, found |-> found]}
           /\ UNCHANGED <<client, granted, fault>>
        \/ applied /\ UNCHANGED <<client, granted, fault, replies>>    \* the reply is lost
     /\ ended' = IF m.verb \in {"release", "delete", "hold"}
                 THEN ended \cup {g \in granted : g.client = m.client /\ g.tenure = m.tenure}
                 ELSE ended
     /\ UNCHANGED <<now, net>>

ReadLate(r) ==
  /\ Read(r.m, r.applied, r.found)
  /\ replies' = replies \ {r}
  /\ UNCHANGED <<now, item, net, ended>>

Remove ==
  /\ ItemTtl /\ item.exists /\ item.expiry < now
  /\ item' = NoItem
  /\ UNCHANGED <<now, net, replies, client, granted, ended, fault>>

VisitByCrate ==
  /\ CrateVisits /\ item.exists /\ (item.version = NoVersion \/ item.expiry < now)
  /\ item' = NoItem
  /\ UNCHANGED <<now, net, replies, client, granted, ended, fault>>

Force ==
  /\ ForcedRelease /\ item.version # NoVersion
  /\ item' = [item EXCEPT !.version = NoVersion, !.expiry = now + Retention]
  /\ ended' = ended \cup {g \in granted : g.client = item.version[1] /\ g.tenure = item.version[2]}
  /\ UNCHANGED <<now, net, replies, client, granted, fault>>

(* Requests and replies that can have no more effect are dropped, so they do not distinguish states. *)
Tick ==
  /\ now < LastTick
  /\ now' = now + 1
  /\ net' = {m \in net : now' <= m.at + CopyLife}
  /\ replies' = {r \in replies : now' < r.m.at + Ttl}
  /\ UNCHANGED <<item, client, granted, ended, fault>>

Next ==
  \/ Tick \/ Remove \/ VisitByCrate \/ Force
  \/ \E c \in Clients : SendAcquire(c) \/ SendHandOver(c) \/ SendRenew(c) \/ SendRelease(c) \/ End(c) \/ Observe(c)
  \/ \E m \in net : Deliver(m)
  \/ \E r \in replies : ReadLate(r)

Spec == Init /\ [][Next]_vars

AnyOrder == Permutations(Clients)

-----------------------------------------------------------------------------
(* Invariants *)

(* At most one client has a valid lease that was not released by force. *)
Exclusion ==
  \A a, b \in Clients : a # b => ~(Valid(a) /\ Valid(b) /\ ~Revoked(a) /\ ~Revoked(b))

(* Each first grant has a larger token than all earlier grants. *)
TokensGrow == fault # "token"

(* No reply makes a holder give up its own lease. *)
NoFalseLoss == fault # "loss"

(* 5.8: DynamoDB refuses the guarded write of a tenure that was released, or that another one followed. *)
Accepted(g) ==
  /\ item.version # NoVersion /\ item.token = g.token
  /\ GuardBy = "tenure" => item.version[1] = g.client /\ item.version[2] = g.tenure
Guard ==
  \A g \in granted : (g \in ended \/ \E later \in granted : later.token > g.token) => ~Accepted(g)

(* No lease ends in the table before it ends for its holder. *)
Covered ==
  \A c \in Clients : Valid(c) /\ ~Revoked(c) =>
    /\ item.version[1] = c /\ item.version[2] = client[c].tenure
    /\ item.expiry + RoundedDown >= client[c].validUntil

(* Item TTL removes no token that the clock has not passed. *)
TokenOutlived == item.exists => item.token <= TokensPerTick * item.expiry
=============================================================================
