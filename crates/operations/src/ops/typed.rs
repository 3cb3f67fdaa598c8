//! Operations by their types, for a program that renders answers itself instead of sending text or
//! JSON on. It asks through the same contract, so no query is written a second time.

pub use super::card::coverage::{
    Coverage as CardCoverage, CoverageAnswer, CoverageRow, CoverageVerdict,
};
pub use super::card::list::{CardListAnswer, CardListRow, List as CardList};
pub use super::card::show::{CardLink, CardShowAnswer, RelatedCard, Show as CardShow};
pub use super::changelog::search::Search as ChangelogSearch;
pub use super::code::list::{CodeListAnswer, List as CodeList};
pub use super::code::show::{CodeShowAnswer, CodeShowPart, CodeUse, Show as CodeShow};
pub use super::code::zoom::{Zoom as CodeZoom, ZoomAnswer, ZoomedFile, ZoomedSymbol};
pub use super::deps::Deps;
pub use super::explain::{Explain, ExplainAnswer};
pub use super::graph::context::{Context as KnowledgeOfPaths, GraphContextAnswer};
pub use super::graph::details::{AtomDetails, MoleculeDetails};
pub use super::graph::drift::{Drift, DriftAnswer};
pub use super::graph::search::{GraphSearchAnswer, Search as KnowledgeSearch};
pub use super::graph::show::{GraphShowAnswer, Show as KnowledgeShow};
pub use super::history::CommitRow;
pub use super::history::cochange::{Cochange, CochangeAnswer, CochangeRow};
pub use super::history::hotspots::{HotspotRow, Hotspots, HotspotsAnswer};
pub use super::history::list::{HistoryListAnswer, List as HistoryList};
pub use super::history::owners::{Owners, OwnersAnswer};
pub use super::history::provenance::{Provenance, ProvenanceAnswer};
pub use super::impact::Impact;
pub use super::kb::query::{KbQuery, KbQueryAnswer};
pub use super::reach::{ReachAnswer, ReachRow};
pub use super::review::{Review, ReviewAnswer, ReviewTestRow};
pub use super::search::{Search, SearchAnswer, SearchHitRow};
pub use super::status::{Status, StatusAnswer};
pub use super::subgraph::{Subgraph, SubgraphAnswer};
pub use super::verify::{Verify, VerifyAnswer};
pub use super::work::blocked::{Blocked, BlockedAnswer};
pub use super::work::next::{Next, NextAnswer};
pub use super::work::overview::{Overview, OverviewAnswer};
pub use super::work::search::{Search as WorkSearch, WorkSearchAnswer, WorkSearchRow};
pub use super::work::show::{Show as WorkShow, WorkShowAnswer};
pub use super::work::state::{State as WorkState, StateAnswer};
pub use crate::answers::test_finder::TestFile;
pub use engine::areas::kb::answer_rows::EntityRow;
