/**
 * Real processes under faults, and a judge that does not know the schedule. Nothing here is published.
 *
 * <p>Reading order: {@link io.leasekit.storm.Storm} starts everything and does harm. {@link io.leasekit.storm.StormNode} is
 * one process; its {@link io.leasekit.storm.Caller}s acquire leases, and its {@link io.leasekit.storm.Candidate} wants to lead.
 * Under a lease, {@link io.leasekit.storm.LeaseWork} takes samples and does guarded writes at the
 * {@link io.leasekit.storm.Referee}. {@link io.leasekit.storm.FaultProxy} stands between the processes and
 * DynamoDB Local. Each process appends an {@link io.leasekit.storm.Event} per line to its {@link io.leasekit.storm.History}.
 * {@link io.leasekit.storm.Judge} reads the histories and the tables, and nothing else.
 */
@NullMarked
package io.leasekit.storm;

import org.jspecify.annotations.NullMarked;
