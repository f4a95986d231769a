------------------------------ MODULE Progress ------------------------------
(***************************************************************************)
(* The progress of one run (docs/protocol.md, 5.12).  Tenures follow each  *)
(* other at any time, also while the former holder still sends.  The       *)
(* network delays and repeats renewals and releases.  A transaction of the *)
(* user is applied once.  Values are numbers, given in growing order.      *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
  Tenures,    \* tenures that follow each other
  Requests,   \* requests that all of them may send
  (* The protocol; the first value of each is the right one *)
  Condition,  \* "range" | "tenure" (any version of it) | "none"
  Ways,       \* "one" (by renewals or by transactions) | "both"
  OnSuccess,  \* "removed" | "kept"
  OnFailure   \* "written" (what is not acknowledged) | "forgotten" | "removed"

VARIABLES
  item,    \* the item: tenure and number are its version
  net,     \* requests that may still be applied
  holder,  \* the last tenure that has acquired
  sent,    \* number of requests
  given,   \* the last value that any tenure has given
  acked,   \* the last value of the run whose write was acknowledged; 0: none since its last success
  ended    \* no value up to this one may be seen any more

vars == <<item, net, holder, sent, given, acked, ended>>

Max(a, b) == IF a > b THEN a ELSE b

Init ==
  /\ item = [held |-> FALSE, tenure |-> 0, number |-> 0, value |-> 0]
  /\ net = {}
  /\ holder = [open |-> FALSE, tenure |-> 0, number |-> 0, value |-> 0, acked |-> 0, way |-> "none", pending |-> FALSE]
  /\ sent = 0 /\ given = 0 /\ acked = 0 /\ ended = 0

MaySend == holder.open /\ sent < Requests

(* A new tenure, after the release of the former one or after its death.  Its acquire changes the version only. *)
Take ==
  /\ holder.tenure < Tenures
  /\ holder' = [open |-> TRUE, tenure |-> holder.tenure + 1, number |-> 1, value |-> 0, acked |-> 0, way |-> "none",
                pending |-> FALSE]
  /\ item' = [item EXCEPT !.held = TRUE, !.tenure = holder.tenure + 1, !.number = 1]
  /\ UNCHANGED <<net, sent, given, acked, ended>>

Message(kind, value) ==
  [kind |-> kind, tenure |-> holder.tenure, number |-> holder.number + 1, value |-> value, success |-> FALSE]

(* A save: a renewal with a new value, or with the last one again. *)
Save(value) ==
  /\ MaySend /\ value > 0 /\ (holder.way # "transactions" \/ Ways = "both")
  /\ net' = net \cup {Message("renew", value)}
  /\ holder' = [holder EXCEPT !.number = @ + 1, !.value = value, !.way = "renewals"]
  /\ sent' = sent + 1 /\ given' = Max(given, value)
  /\ UNCHANGED <<item, acked, ended>>

(* One after the other.  It changes no version. *)
Transact ==
  /\ MaySend /\ ~holder.pending /\ (holder.way # "renewals" \/ Ways = "both")
  /\ net' = net \cup {[Message("transact", given + 1) EXCEPT !.number = 0]}
  /\ holder' = [holder EXCEPT !.value = given + 1, !.way = "transactions", !.pending = TRUE]
  /\ sent' = sent + 1 /\ given' = given + 1
  /\ UNCHANGED <<item, acked, ended>>

Release(success) ==
  /\ MaySend /\ ~holder.pending
  /\ net' = net \cup {[Message("release", IF holder.way = "renewals" /\ holder.value > holder.acked
                                          THEN holder.value ELSE 0) EXCEPT !.success = success]}
  /\ holder' = [holder EXCEPT !.open = FALSE, !.number = @ + 1]
  /\ sent' = sent + 1
  /\ UNCHANGED <<item, given, acked, ended>>

Crash ==
  /\ holder.open
  /\ holder' = [holder EXCEPT !.open = FALSE]
  /\ UNCHANGED <<item, net, sent, given, acked, ended>>

-----------------------------------------------------------------------------
Holds(m) ==
  CASE m.kind = "transact" -> item.held /\ item.tenure = m.tenure
    [] Condition = "range"  -> item.held /\ item.tenure = m.tenure /\ item.number < m.number
    [] Condition = "tenure" -> item.held /\ item.tenure = m.tenure
    [] OTHER -> TRUE

(* The reply is read or lost; only a holder that has not ended takes it in. *)
Saved(m) ==
  /\ item' = [item EXCEPT !.value = m.value, !.number = IF m.kind = "renew" THEN m.number ELSE @]
  /\ \/ /\ holder.open /\ holder.tenure = m.tenure
        /\ acked' = Max(acked, m.value)
        /\ holder' = [holder EXCEPT !.acked = Max(@, m.value), !.pending = IF m.kind = "transact" THEN FALSE ELSE @]
     \/ UNCHANGED <<acked, holder>>
  /\ UNCHANGED ended

Released(m) ==
  LET left == CASE m.success -> IF OnSuccess = "removed" THEN 0 ELSE item.value
                [] OnFailure = "removed" -> 0
                [] m.value # 0 /\ OnFailure = "written" -> m.value
                [] OTHER -> item.value
  IN /\ item' = [item EXCEPT !.held = FALSE, !.number = m.number, !.value = left]
     /\ ended' = IF m.success THEN given ELSE ended
     /\ acked' = IF m.success THEN 0 ELSE Max(acked, m.value)   \* what the work gave before it failed is promised, too
     /\ UNCHANGED holder

Deliver(m) ==
  /\ Holds(m)
  /\ IF m.kind = "release" THEN Released(m) ELSE Saved(m)
  /\ net' = IF m.kind = "transact" THEN net \ {m} ELSE net
  /\ UNCHANGED <<sent, given>>

Next ==
  \/ Take \/ Transact \/ Crash
  \/ Save(given + 1) \/ Save(holder.value)
  \/ \E success \in BOOLEAN : Release(success)
  \/ \E m \in net : Deliver(m)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The item shows the last acknowledged value, or a later one. *)
NothingLost == item.value >= acked

(* It shows no value from before a success. *)
NothingAfterSuccess == item.value = 0 \/ item.value > ended
=============================================================================
