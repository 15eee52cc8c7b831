# What arancini publishes: changes of routes (Update) and events (Event).
#
# Update's fields @0 to @30 are a contract that other producers share: they
# never change. New fields are only appended, and what is usually absent comes
# last: words at the end of a struct that hold nothing are not sent.
#
# docs/schema.md explains every field. The encoder takes its offsets from this
# file when it is built.

@0x83f9299a125b7932;

# One change of one route.
struct Update {
  timeReceivedNs @0 :UInt64;
  timeBmpHeaderNs @1 :UInt64;
  routerAddr @2 :Data;
  routerPort @3 :UInt16;
  peerAddr @4 :Data;
  peerBgpId @5 :UInt32;
  peerAsn @6 :UInt32;
  prefixAddr @7 :Data;
  prefixLen @8 :UInt8;
  isPostPolicy @9 :Bool;
  isAdjRibOut @10 :Bool;
  announced @11 :Bool;
  synthetic @12 :Bool;
  origin @13 :Text;
  asPath @14 :List(UInt32);
  nextHop @15 :Data;
  multiExitDisc @16 :UInt32;
  localPreference @17 :UInt32;
  onlyToCustomer @18 :UInt32;
  atomicAggregate @19 :Bool;
  aggregatorAsn @20 :UInt32;
  aggregatorBgpId @21 :UInt32;
  communities @22 :List(Community);
  extendedCommunities @23 :List(ExtendedCommunity);
  largeCommunities @24 :List(LargeCommunity);
  originatorId @25 :UInt32;
  clusterList @26 :List(UInt32);
  mpReachAfi @27 :UInt16;
  mpReachSafi @28 :UInt8;
  mpUnreachAfi @29 :UInt16;
  mpUnreachSafi @30 :UInt8;

  # In every update, most of them in room that the fields above leave.
  afi @31 :UInt16;
  safi @32 :UInt8;
  hasMultiExitDisc @33 :Bool;
  hasLocalPreference @34 :Bool;
  hasPathId @35 :Bool;
  hasOnlyToCustomer @36 :Bool;
  hasAggregator @37 :Bool;
  hasOriginatorId @38 :Bool;
  isLocRib @39 :Bool;
  isFiltered @40 :Bool;
  resync @41 :Bool;
  peerType @42 :UInt8;
  sequence @43 :UInt64;

  # In some.
  pathId @44 :UInt32;
  reason @45 :Reason;
  peerDistinguisher @46 :UInt64;
  routeDistinguisher @47 :UInt64;
  routerId @48 :Text;
  tableName @49 :Text;
  nextHopLinkLocal @50 :Data;
  unknownAttributes @51 :List(UnknownAttribute);
  asPathSegments @52 :List(AsPathSegment);
  labels @53 :List(UInt32);
  nlri @54 :Data;
  nlriKey @55 :Data;
  nlriText @56 :Text;
  ipv6ExtendedCommunities @57 :List(Data);

  # In room that the fields above leave.
  hasAsSet @58 :Bool;
}

struct Community {
  asn @0 :UInt32;
  value @1 :UInt16;
}

struct ExtendedCommunity {
  typeHigh @0 :UInt8;
  typeLow @1 :UInt8;
  value @2 :Data;
}

struct LargeCommunity {
  globalAdmin @0 :UInt32;
  localDataPart1 @1 :UInt32;
  localDataPart2 @2 :UInt32;
}

struct UnknownAttribute {
  flags @0 :UInt8;
  type @1 :UInt8;
  value @2 :Data;
}

struct AsPathSegment {
  type @0 :SegmentType;
  asns @1 :List(UInt32);
}

# The numbers of RFC 4271 and RFC 5065.
enum SegmentType {
  none @0;
  asSet @1;
  asSequence @2;
  confedSequence @3;
  confedSet @4;
}

# Why a withdraw that no router sent was made.
enum Reason {
  none @0;
  peerDown @1;
  staleSweep @2;
  sessionLost @3;
  treatAsWithdraw @4;
  admin @5;
}

# Something in the life of a peer, a session or the collector.
struct Event {
  kind @0 :Kind;
  routerPort @1 :UInt16;
  hasPeer @2 :Bool;
  hasTable @3 :Bool;
  isPostPolicy @4 :Bool;
  isAdjRibOut @5 :Bool;
  isLocRib @6 :Bool;
  isFiltered @7 :Bool;
  peerType @8 :UInt8;
  safi @9 :UInt8;
  timeReceivedNs @10 :UInt64;
  timeBmpHeaderNs @11 :UInt64;
  peerAsn @12 :UInt32;
  peerBgpId @13 :UInt32;
  afi @14 :UInt16;
  reason @15 :UInt16;
  fsmEvent @16 :UInt16;
  localPort @17 :UInt16;
  remotePort @18 :UInt16;
  routes @19 :UInt64;
  peerDistinguisher @20 :UInt64;
  epoch @21 :UInt64;
  routerAddr @22 :Data;
  peerAddr @23 :Data;
  text @24 :Text;
  routerId @25 :Text;
  tableName @26 :Text;
  localAddr @27 :Data;
  sentOpen @28 :Data;
  receivedOpen @29 :Data;
  notification @30 :Data;
  counts @31 :List(Count);
  collector @32 :Text;
  messages @33 :UInt64;
  mirrored @34 :Data;

  enum Kind {
    peerUp @0;
    peerDown @1;
    endOfRib @2;
    swept @3;
    stale @4;
    suspect @5;
    unknown @6;
    limit @7;
    resync @8;
    statistics @9;
    sessionOpen @10;
    sessionClose @11;
    epoch @12;
    clash @13;
    messagesLost @14;
    mirror @15;
  }

  # One number, by the type of the BMP statistic.
  struct Count {
    type @0 :UInt32;
    afi @1 :UInt16;
    safi @2 :UInt8;
    value @3 :UInt64;
  }
}
